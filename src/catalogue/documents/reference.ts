import type { Json, JsonObject } from '../catalogue.ts'
import { isJsonObject, pointerNames, pointerToken, valueAt } from '../json.ts'

/** An object of a document and the JSON pointer that leads to it. */
export interface Located {
  readonly value: JsonObject
  /** `/paths/~1accounts/get`. */
  readonly pointer: string
}

/** The schema itself, where the given one is only a reference to it; undefined when the chain is endless. */
export function referredSchema(document: JsonObject, schema: JsonObject): JsonObject | undefined {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || hasOwnKeywords(schema)) return schema
  return locate(document, reference.slice(1))?.value
}

/** The object at `pointer`, its own `$ref` followed to the end; undefined if absent or if the chain is endless. */
export function locate(document: JsonObject, pointer: string): Located | undefined {
  const seen = new Set<string>()
  let at = pointer
  while (!seen.has(at)) {
    seen.add(at)
    const names = pointerNames(at)
    const value = names && valueAt(document, names)
    if (!isJsonObject(value)) return undefined
    const next = nextOf(value)
    if (next === undefined) return { value, pointer: at }
    at = next
  }
  return undefined
}

/** The pointer to follow; undefined for an object that stands for itself. */
function nextOf(value: JsonObject): string | undefined {
  const reference = value['$ref']
  // A schema may have keywords beside its $ref: then it is a separate schema.
  return typeof reference !== 'string' || hasOwnKeywords(value) ? undefined : reference.slice(1)
}

/** A member of a located object, its `$ref` followed. */
export function member(
  document: JsonObject,
  parent: Located,
  ...names: readonly (string | number)[]
): Located | undefined {
  const value = valueAt(parent.value, names.map(String))
  if (!isJsonObject(value)) return undefined
  const next = nextOf(value)
  if (next !== undefined) return locate(document, next)
  return { value, pointer: parent.pointer + names.map((name) => `/${pointerToken(name)}`).join('') }
}

/** All members of a map in a located object, their `$ref` followed, in document order. */
export function membersOf(
  document: JsonObject,
  parent: Located,
  name: string,
): readonly (readonly [string, Located])[] {
  const map: Json | undefined = parent.value[name]
  const members: (readonly [string, Located])[] = []
  for (const key of isJsonObject(map) ? Object.keys(map) : []) {
    const located = member(document, parent, name, key)
    if (located !== undefined) members.push([key, located])
  }
  return members
}

function hasOwnKeywords(value: JsonObject): boolean {
  return Object.keys(value).some((key) => key !== '$ref' && !annotations.has(key))
}

/** Members that matter to a reader and not to a validator. */
export const annotations: ReadonlySet<string> = new Set([
  'title',
  'summary',
  'description',
  '$comment',
  'example',
  'examples',
  'externalDocs',
  'xml',
])
