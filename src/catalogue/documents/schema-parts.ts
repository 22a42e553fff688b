import type { JsonObject } from '../catalogue.ts'
import { isJsonObject, objectMembersOf, objectsOf } from '../json.ts'
import { locate } from './reference.ts'

/** The schema that a schema's `$ref` names. */
export function referred(document: JsonObject, schema: JsonObject): JsonObject | undefined {
  const reference = schema['$ref']
  return typeof reference === 'string' ? locate(document, reference.slice(1))?.value : undefined
}

/** Schemas whose description of the same value adds to that of the schema that has them. */
export function composed(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const target = referred(document, schema)
  return [
    ...(target === undefined ? [] : [target]),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => objectsOf(schema[keyword])),
    ...['then', 'else'].map((keyword) => schema[keyword]).filter(isJsonObject),
    ...objectMembersOf(schema['dependentSchemas']).map(([, part]) => part),
  ]
}
