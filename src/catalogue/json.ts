import type { Json, JsonObject } from './catalogue.ts'

/** Whether a value is a JSON object: not an array, a scalar or undefined. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a JSON array, keeping it read-only. */
export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** The items that are objects, of a value that may be no array at all. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

/** The members whose values are objects, of a value that may be no object at all. */
export function objectMembersOf(value: Json | undefined): readonly [string, JsonObject][] {
  if (!isJsonObject(value)) return []
  const members: [string, JsonObject][] = []
  for (const [name, member] of Object.entries(value)) {
    if (isJsonObject(member)) members.push([name, member])
  }
  return members
}

/** The items that are strings, of a value that may be no array at all. */
export function stringsOf(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** One member name as a token of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
export function pointerToken(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')
}

/**
 * The member names of a JSON pointer in a URI fragment (RFC 6901, section 6),
 * given without its `#`. Undefined if it is not a pointer.
 */
export function pointerNames(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  try {
    const text = pointer.includes('%') ? decodeURIComponent(pointer) : pointer
    const tokens = text.slice(1).split('/')
    if (!text.includes('~')) return tokens
    return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    // Not valid percent-encoding: nothing can be there.
    return undefined
  }
}

/** The value below `root` that the member names lead to; undefined if absent. */
export function valueAt(root: Json | undefined, names: readonly string[]): Json | undefined {
  let value = root
  for (const name of names) {
    if (isJsonArray(value)) value = /^(0|[1-9][0-9]*)$/.test(name) ? value[Number(name)] : undefined
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}

/** Freezes a value and all it contains, and returns it. Shared and cyclic parts are visited once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
