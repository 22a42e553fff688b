import { idName } from './id-name.ts'

/** The target of a link in a response. */
export interface LinkedPath<Operation> {
  /** Operations at this path, one for each method. */
  readonly candidates: readonly Operation[]
  /** Values of the path's parameters, by {@link idName}. */
  readonly ids: Readonly<Record<string, string>>
  /** Values of the query, by name. */
  readonly query: Readonly<Record<string, string>>
}

/**
 * Finds the operations that a link leads to. `/v1/consents/c-1` matches
 * `/v1/{payment-service}/{payment-product}` too: the path with more fixed parts wins.
 *
 * @returns undefined if no operation matches
 */
export function linkedPath<Operation extends { readonly path: string }>(
  link: string,
  operations: readonly Operation[],
): LinkedPath<Operation> | undefined {
  const [path = '', search = ''] = link.split('?')
  const parts = path.split('/')
  const fitting = operations.filter((operation) => fits(operation.path.split('/'), parts))
  const [best] = fitting.toSorted((a, b) => variableCount(a.path) - variableCount(b.path))
  if (best === undefined) return undefined
  const ids = best.path
    .split('/')
    .flatMap((part, at) => (isVariable(part) ? [[idName(part), plain(parts[at] ?? '')]] : []))
  return {
    candidates: fitting.filter((operation) => operation.path === best.path),
    ids: Object.fromEntries(ids),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, at) => isVariable(part) || part === parts[at])
  )
}

function isVariable(part: string): boolean {
  return /^\{[^{}]+\}$/.test(part)
}

function variableCount(path: string): number {
  return path.split('/').filter(isVariable).length
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
