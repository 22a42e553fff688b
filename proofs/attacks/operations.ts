import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Attack } from './attack.ts'

/** An operation with a path that calls it. */
export interface AttackedOperation {
  /** `xs2a:1.7.0:listAccounts`, as in the name of its bucket. */
  readonly name: string
  readonly method: string
  /** The prefix of its version: `v1.7.0`. */
  readonly version: string
  /** The prefix of another version, or of another API: `v1.6.0`. */
  readonly otherVersion: string
  /** Segments below the version; parameters have values: `p-id`, and `m-id:cancel` where text follows. */
  readonly segments: readonly string[]
  readonly hasBody: boolean
  /** Whether its path ends in text, and no other path has a parameter there. */
  readonly endsInText: boolean
  /** Whether the backend gets only the fields of HTTP and of the document. */
  readonly hasAllowList: boolean
  /** Methods that this path has. */
  readonly methods: readonly string[]
}

/** All operations that are published, in the order of the documents. */
export function attackedOperations({ versions }: Catalogue): AttackedOperation[] {
  const prefixes = [...versions.values()].map(({ prefix }) => prefix.slice(1))
  return [...versions.values()].flatMap(({ api, version, prefix, operations, forwardHeaders }) =>
    operations.map(({ id, method, template }) => {
      const lead = template.slice(0, template.lastIndexOf('/') + 1)
      const own = prefix.slice(1)
      return {
        name: `${api}:${version}:${id}`,
        method,
        version: own,
        otherVersion: prefixes.find((other) => other !== own) ?? 'v0.0.1',
        segments: template
          .slice(1)
          .split('/')
          .map((segment) =>
            isParameter(segment)
              ? `p-${segment.slice(1, -1)}`
              : segment.replaceAll(/\{([^}]+)\}/g, 'm-$1'),
          ),
        endsInText: !operations.some((other) => other.template.startsWith(`${lead}{`)),
        hasAllowList: forwardHeaders === 'declared',
        hasBody: method !== 'GET' && method !== 'DELETE',
        methods: operations
          .filter((other) => other.template === template)
          .map((other) => other.method as string),
      }
    }),
  )
}

/** Whether an attack makes sense on an operation. */
export function fits(attack: Attack, operation: AttackedOperation): boolean {
  const hasParameter = operation.segments.some((segment) => segment.startsWith('p-'))
  if (attack.method !== undefined && operation.methods.includes(attack.method)) return false
  switch (attack.only) {
    case 'with body':
      return operation.hasBody
    case 'without body':
      return !operation.hasBody
    case 'parameter':
      return hasParameter
    case 'literal':
      return operation.endsInText
    case 'allow-list':
      return operation.hasAllowList
    default:
      return true
  }
}

/** Names the operation that a method and a path call, in the way `AttackedOperation.name` does; `none` for anything else. */
export type NamesOperation = (method: string, path: string) => string

/**
 * Learns the names from the documents alone; it shares no code with the router.
 * Paths are those of the backend.
 */
export function createNames({ versions }: Catalogue): NamesOperation {
  const known = [...versions.values()].flatMap(({ api, version, basePath, operations }) =>
    operations.map(({ id, method, template }) => ({
      name: `${api}:${version}:${id}`,
      method: method as string,
      path: new RegExp(
        `^${`${basePath}${template}`.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`,
      ),
      rank: rankOf(`${basePath}${template}`),
    })),
  )
  known.sort((a, b) => a.rank.localeCompare(b.rank))
  return (method, path) =>
    known.find((one) => one.method === method && one.path.test(path))?.name ?? 'none'
}

/** Whether a segment is a parameter alone. */
function isParameter(segment: string): boolean {
  return /^\{[^}]+\}$/.test(segment)
}

/**
 * Sorts paths that match the same text: segment by segment, text is before a
 * parameter with text, and that before a parameter alone.
 */
function rankOf(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.includes('{') ? (isParameter(segment) ? 2 : 1) : 0))
    .join('')
}

/** How three readers understand the path of a target: as it stands, decoded once, and decoded by a careless one. */
export function readingsOf(target: string): readonly [string, string, string] {
  const [raw = ''] = target.split('?', 1)
  return [raw, decoded(raw), careless(raw)]
}

function decoded(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, octet: string) =>
    String.fromCharCode(Number.parseInt(octet, 16)),
  )
}

/**
 * Decodes twice, takes backslashes for slashes, folds case, dots and doubled slashes, drops path parameters and what follows
 * NUL, "#" or "?".
 */
function careless(path: string): string {
  const [kept = ''] = decoded(decoded(path)).split(/[\0#?]/, 1)
  const folded: string[] = []
  for (const segment of kept.replaceAll('\\', '/').split('/')) {
    const [name = ''] = segment.split(';', 1)
    if (name === '..') folded.pop()
    else if (name !== '' && name !== '.') folded.push(name)
  }
  return `/${folded.join('/')}`
}
