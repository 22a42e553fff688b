import { validate } from '@scalar/openapi-validator'
import type { JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject, pointerNames, valueAt } from '../json.ts'
import type { Sources } from '../source.ts'

/** Warns of what breaks the JSON Schema that OpenAPI publishes for the version of a document. */
export function checkStructure(sources: Sources, document: JsonObject): void {
  const { errors = [] } = validate(document as never)
  for (const { message, path } of errors) {
    const names = typeof path === 'string' ? (pointerNames(path) ?? []) : (path ?? [])
    // A link may have a server: the schema of 3.1 misnames it `body`.
    if (names.at(-2) === 'links' && message.startsWith('Property server ')) continue
    const member = names.at(-1)
    const value = valueAt(document, names)
    const holder = valueAt(document, names.slice(0, -1))
    // A value of its own has a place; others have that of their member.
    if (isJsonObject(value) || isJsonArray(value)) {
      sources.warn({ rule: 'openapi-structure', at: value, message })
    } else if (isJsonObject(holder) || isJsonArray(holder)) {
      sources.warn({ rule: 'openapi-structure', at: holder, member, message })
    }
  }
}
