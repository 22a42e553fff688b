import type { Json, JsonObject } from './catalogue.ts'
import type { Parameter } from './documents/operation-object.ts'
import { locate } from './documents/reference.ts'
import { isJsonArray, objectsOf, stringsOf } from './json.ts'

/** A parameter after reading. */
export type ParameterValue = string | number | boolean | readonly (string | number | boolean)[]

export type ReadParameter =
  | { readonly kind: 'value'; readonly value: ParameterValue; readonly isDefault: boolean }
  | { readonly kind: 'absent' }
  /** More than once, where only one value makes sense. */
  | { readonly kind: 'doubled' }

export interface ReadParameterOptions {
  readonly document: JsonObject
  readonly parameter: Parameter
  readonly sent: string | readonly string[] | undefined
}

/**
 * Reads the text of a parameter as the type its schema asks for: `true` and
 * `FALSE` as booleans, decimal digits as numbers, lists by comma (or by
 * repetition in the query). Text of another type stays text, for the schema
 * to refuse. An absent parameter takes the default of its schema.
 */
export function readParameter({ document, parameter, sent }: ReadParameterOptions): ReadParameter {
  const types = typesOf(document, `${parameter.object.pointer}/schema`)
  if (sent === undefined) return byDefault(document, parameter)
  const isList = types.has('array')
  if (typeof sent !== 'string' && !isList) {
    const [only, ...others] = sent
    if (only === undefined) return byDefault(document, parameter)
    return others.length > 0 ? { kind: 'doubled' } : sentValue(coerce(only, types))
  }
  if (!isList) return sentValue(coerce(String(sent), types))
  const itemTypes = typesOf(document, `${parameter.object.pointer}/schema/items`)
  const isRepeated = parameter.in === 'query' && parameter.object.value['explode'] !== false
  const texts = typeof sent === 'string' ? [sent] : sent
  const items = isRepeated ? texts : texts.flatMap((text) => text.split(','))
  return sentValue(items.map((item) => coerce(item.trim(), itemTypes)))
}

function sentValue(value: ParameterValue): ReadParameter {
  return { kind: 'value', value, isDefault: false }
}

function byDefault(document: JsonObject, parameter: Parameter): ReadParameter {
  const value = locate(document, `${parameter.object.pointer}/schema`)?.value['default']
  const isUsable =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isUsable ? { kind: 'value', value, isDefault: true } : { kind: 'absent' }
}

function coerce(text: string, types: ReadonlySet<string>): string | number | boolean {
  if (types.has('boolean')) {
    const lower = text.toLowerCase()
    if (lower === 'true' || lower === 'false') return lower === 'true'
  }
  if (types.has('integer') || types.has('number')) {
    // Decimal notation only: no hexadecimal, no exponent, no blanks, as a sender would write it.
    const isDecimal = /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$/.test(text)
    if (isDecimal) return Number(text)
  }
  return text
}

/** The types a schema admits by itself, by what it refers to or by the parts it is composed of. */
function typesOf(document: JsonObject, pointer: string): ReadonlySet<string> {
  const types = new Set<string>()
  const seen = new Set<JsonObject>()
  const visit = (schema: JsonObject | undefined) => {
    if (schema === undefined || seen.has(schema)) return
    seen.add(schema)
    for (const type of namesOf(schema['type'])) types.add(type)
    const reference = schema['$ref']
    if (typeof reference === 'string') visit(locate(document, reference.slice(1))?.value)
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) objectsOf(schema[keyword]).forEach(visit)
  }
  visit(locate(document, pointer)?.value)
  return types
}

function namesOf(type: Json | undefined): readonly string[] {
  if (isJsonArray(type)) return stringsOf(type)
  return typeof type === 'string' ? [type] : []
}
