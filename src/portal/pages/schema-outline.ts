import type { Json, JsonObject } from '../../catalogue/catalogue.ts'
import { referredSchema } from '../../catalogue/documents/reference.ts'
import { isJsonObject, objectMembersOf, objectsOf, stringsOf } from '../../catalogue/json.ts'

/** Lists of lists, which may be circular, end at this depth. */
const depthMax = 8

/** The type of a schema in words: `string`, `array of object`; empty if it does not say. */
export function typeOf(document: JsonObject, schema: Json | undefined, depth = 0): string {
  const parts = partsOf(document, schema)
  const stated = parts.find(({ type, properties }) => type ?? properties)
  const { type = 'object', items } = stated ?? {}
  if (stated === undefined) return ''
  if (type === 'array' && depth < depthMax) {
    const each = typeOf(document, items, depth + 1)
    return each === '' ? type : `array of ${each}`
  }
  return typeof type === 'string' ? type : stringsOf(type).join(' or ')
}

/** The members of an object, or of the objects in a list, by name. */
export function membersOfSchema(
  document: JsonObject,
  schema: Json | undefined,
): {
  readonly members: readonly (readonly [string, JsonObject])[]
  readonly required: ReadonlySet<string>
} {
  const own = partsOf(document, schema)
  const items = own.find(({ type }) => type === 'array')?.['items']
  const parts = items === undefined ? own : partsOf(document, items)
  return {
    members: [...new Map(parts.flatMap(({ properties }) => objectMembersOf(properties)))],
    required: new Set(parts.flatMap(({ required }) => stringsOf(required))),
  }
}

/** A schema and all parts of its `allOf`, references followed, each once. */
function partsOf(
  document: JsonObject,
  schema: Json | undefined,
  seen = new Set<JsonObject>(),
): readonly JsonObject[] {
  const own = isJsonObject(schema) ? referredSchema(document, schema) : undefined
  if (own === undefined || seen.has(own)) return []
  seen.add(own)
  return [own, ...objectsOf(own['allOf']).flatMap((part) => partsOf(document, part, seen))]
}
