import { backendPathOf } from '../platform/settings/sandbox.ts'
import type { ApiVersion, JsonObject } from './catalogue.ts'
import { isJsonObject, objectsOf } from './json.ts'
import { canonicalPath } from './path-spelling.ts'
import { readLifecycle } from './read-lifecycle.ts'
import type { Sources } from './source.ts'

/** How a version is published. */
export interface Publication
  extends Pick<ApiVersion, 'prefix' | 'basePath' | 'backend' | 'forwardHeaders' | 'lifecycle'> {
  /** What the lifecycle was read from. */
  readonly lifecycleAt: JsonObject | undefined
}

const members = ['prefix', 'backend', 'forwardHeaders', 'lifecycle']

/**
 * Reads how a version is published: `x-tollgate` of its document or overlay,
 * and what follows from the document's first server. Reports what is wrong.
 */
export function readPublication(
  sources: Sources,
  document: JsonObject,
  version: string,
): Publication {
  const own = ownMembers(sources, document)
  const byVersion = `/v${version}`
  const server = serverPath(document)
  const basePath = server.path ?? ''
  const backend = readBackend(sources, own)
  const effects: string[] = []
  if (own['prefix'] === undefined) {
    effects.push(`the prefix is ${byVersion} (choose it with --prefix)`)
  }
  if (backend === undefined || backendPathOf(backend) === undefined) {
    effects.push(
      'the backend gets calls at its root (give its path with --backend, "/" for the root)',
    )
  }
  if (server.path === undefined && effects.length > 0) {
    const message = `${JSON.stringify(server.stated)} has no path that a gateway can use, so ${effects.join(' and ')}: state it in x-tollgate or with tollgate publish`
    sources.warn({ rule: 'server-path', at: server.at, member: server.member, message })
  }
  const info = document['info']
  const lifecycleAt = mapping(sources, own, 'lifecycle', 'lifecycle-member') ?? lifecycleOf(info)
  return {
    prefix: readPrefix(sources, own, basePath === '' ? byVersion : basePath),
    basePath,
    backend,
    forwardHeaders: readForwardHeaders(sources, own),
    lifecycle: lifecycleAt === undefined ? {} : readLifecycle(sources, lifecycleAt),
    lifecycleAt,
  }
}

function ownMembers(sources: Sources, document: JsonObject): JsonObject {
  const own = mapping(sources, document, 'x-tollgate', 'tollgate-member') ?? {}
  for (const member of Object.keys(own)) {
    if (members.includes(member)) continue
    const message = `is not known; there are: ${members.join(', ')}`
    sources.report({ rule: 'tollgate-member', at: own, member, message })
  }
  return own
}

/** The mapping `info.x-lifecycle`; other programs may use the name for something else. */
function lifecycleOf(info: JsonObject[string]): JsonObject | undefined {
  const stated = isJsonObject(info) ? info['x-lifecycle'] : undefined
  return isJsonObject(stated) ? stated : undefined
}

/** A member that must be a mapping if it is there. */
function mapping(
  sources: Sources,
  at: JsonObject,
  member: string,
  rule: string,
): JsonObject | undefined {
  const value = at[member]
  if (value === undefined || isJsonObject(value)) return value
  sources.report({ rule, at, member, message: 'must be a mapping' })
  return undefined
}

/** @param fallback the prefix if none is stated */
function readPrefix(sources: Sources, own: JsonObject, fallback: string): string {
  const stated = own['prefix']
  if (stated === undefined) return fallback
  const prefix = typeof stated === 'string' ? canonicalPath(stated) : undefined
  if (prefix !== undefined) return prefix.replace(/\/$/, '')
  sources.report({
    rule: 'prefix-invalid',
    at: own,
    member: 'prefix',
    message: `${JSON.stringify(stated)} is not a path of literal segments`,
    example: '/open-banking/v4.0',
  })
  return fallback
}

/** Without the slash at the end of a path, so that another path can follow. */
function readBackend(sources: Sources, own: JsonObject): string | undefined {
  const stated = own['backend']
  if (stated === undefined) return undefined
  const url = typeof stated === 'string' ? URL.parse(stated) : null
  const isBase =
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username + url.password + url.search + url.hash === ''
  const path = isBase ? canonicalPath(url.pathname) : undefined
  if (isBase && path !== undefined) {
    // A slash alone says that the backend has the API at its root.
    const isRoot = path === '/' && String(stated).endsWith('/')
    return isRoot ? `${url.origin}/` : url.origin + path.replace(/\/$/, '')
  }
  sources.report({
    rule: 'backend-invalid',
    at: own,
    member: 'backend',
    // Not shown: it may contain a password.
    message:
      'is not an address beginning with http:// or https://, without user, query and fragment',
    example: 'http://10.0.0.7:3000',
  })
  return undefined
}

function readForwardHeaders(sources: Sources, own: JsonObject): 'all' | 'declared' {
  const stated = own['forwardHeaders'] ?? 'all'
  if (stated === 'all' || stated === 'declared') return stated
  const message = `${JSON.stringify(stated)} is neither all nor declared`
  sources.report({ rule: 'tollgate-member', at: own, member: 'forwardHeaders', message })
  return 'declared'
}

/**
 * The path of the first server that the document names, without a slash at its
 * end; empty if it has none, and undefined if it is no path for a gateway.
 */
function serverPath(document: JsonObject) {
  const isSwagger = document['openapi'] === undefined
  const [server] = objectsOf(document['servers'] ?? [])
  const stated = isSwagger ? document['basePath'] : server?.['url']
  const at = isSwagger ? document : (server ?? document)
  return { stated, path: pathOf(stated, server), at, member: isSwagger ? 'basePath' : 'url' }
}

function pathOf(stated: unknown, server: JsonObject | undefined): string | undefined {
  if (typeof stated !== 'string') return ''
  // `api.example.com/v1` is a relative address to a program, and never meant as one.
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?(\/|$)/.test(stated)) return undefined
  const text = stated.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => variableOf(server, name))
  const written = URL.parse(text, 'http://server.invalid/')?.pathname ?? ''
  const path = canonicalPath(written.replaceAll(empty, ''))
  return path?.includes(unknown) ? undefined : path?.replace(/\/$/, '')
}

/** Takes the place of a variable that has no default. */
const unknown = 'value-of-a-variable.invalid'
/** Takes the place of a variable whose default is empty: without a host, a URL has another path. */
const empty = 'empty-variable.invalid'

/** The default of a variable of a server's URL. */
function variableOf(server: JsonObject | undefined, name: string): string {
  const variables = server?.['variables']
  const variable = isJsonObject(variables) ? variables[name] : undefined
  const value = isJsonObject(variable) ? variable['default'] : undefined
  if (value === '') return empty
  return typeof value === 'string' ? value : unknown
}
