import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/catalogue/catalogue.ts'
import { locate } from '../../src/catalogue/documents/reference.ts'
import { isJsonObject, objectMembersOf, objectsOf, stringsOf } from '../../src/catalogue/json.ts'

/** Values that are more telling than random ones, by the name of a member; undefined: none are known. */
export type Known = (name: string) => fc.Arbitrary<Json> | undefined

export interface SchemaArbitraryOptions {
  /** Where references lead. */
  readonly document: JsonObject
  readonly known?: Known
}

/** Levels below which only required members are made: schemas may contain themselves. */
const depthMost = 8

/**
 * Values that a schema of a document describes: types, enum, const, pattern,
 * format, lengths, ranges, required, oneOf, anyOf, allOf, dependentSchemas and
 * references. What depends on several members at once (if, not) is left to
 * chance: most values keep to their schema, not all.
 */
export function arbitraryOfSchema(
  schema: JsonObject,
  options: SchemaArbitraryOptions,
): fc.Arbitrary<Json> {
  return arbitraryOf(schema, options, 0)
}

function arbitraryOf(
  schema: JsonObject,
  options: SchemaArbitraryOptions,
  depth: number,
): fc.Arbitrary<Json> {
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    const { $ref: _, ...own } = schema
    const target = locate(options.document, reference.slice(1))?.value ?? {}
    return arbitraryOf(merged(target, own), options, depth)
  }
  const alternatives = [...objectsOf(schema['oneOf']), ...objectsOf(schema['anyOf'])]
  if (alternatives.length > 0) {
    const { oneOf: _, anyOf: __, ...own } = schema
    return fc.oneof(
      ...alternatives.map((one) => {
        const alone = merged(resolved(one, options), without(own, rivals(alternatives, one)))
        return arbitraryOf(alone, options, depth)
      }),
    )
  }
  const parts = objectsOf(schema['allOf'])
  if (parts.length > 0) {
    const { allOf: _, ...own } = schema
    const whole = parts.reduce((sum, part) => merged(resolved(part, options), sum), own)
    return arbitraryOf(whole, options, depth)
  }
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  const { enum: values } = schema
  if (Array.isArray(values)) return fc.constantFrom(...values)
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, options, depth)
    case 'array':
      return listOf(schema, options, depth)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: numberOf(schema, 'minimum') ?? 0, ...ceiling(schema) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'null':
      return fc.constant(null)
    default:
      return textOf(schema)
  }
}

function objectOf(
  schema: JsonObject,
  options: SchemaArbitraryOptions,
  depth: number,
): fc.Arbitrary<Json> {
  const required = new Set(stringsOf(schema['required']))
  const members: Record<string, fc.Arbitrary<Json>> = {}
  const dependent = objectMembersOf(schema['dependentSchemas'])
  for (const [name, member] of objectMembersOf(schema['properties'])) {
    if (depth >= depthMost && !required.has(name)) continue
    const random = arbitraryOf(member, options, depth + 1)
    const known = options.known?.(name)
    members[name] =
      known === undefined
        ? random
        : fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: random })
  }
  const optional = Object.keys(members).filter((name) => !required.has(name))
  // Few of the optional members at a time: the more there are, the likelier one of them is refused.
  const chosen = fc.oneof(
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    { weight: 4, arbitrary: fc.subarray(optional, { maxLength: Math.min(3, optional.length) }) },
    { weight: 1, arbitrary: fc.subarray(optional) },
  )
  return chosen
    .chain((names) =>
      fc.record(
        Object.fromEntries(
          Object.entries(members).filter(([name]) => required.has(name) || names.includes(name)),
        ),
        { noNullPrototype: true },
      ),
    )
    .map((value) => {
      const excluded = dependent
        .filter(([name]) => Object.hasOwn(value, name))
        .flatMap(([, rule]) => Object.keys(membersOf(rule, 'properties')))
      return Object.fromEntries(Object.entries(value).filter(([name]) => !excluded.includes(name)))
    })
}

function listOf(
  schema: JsonObject,
  options: SchemaArbitraryOptions,
  depth: number,
): fc.Arbitrary<Json> {
  const items = isJsonObject(schema['items']) ? schema['items'] : {}
  return fc.array(arbitraryOf(items, options, depth + 1), {
    minLength: numberOf(schema, 'minItems') ?? 0,
    maxLength: Math.min(numberOf(schema, 'maxItems') ?? 3, 3),
  })
}

function textOf(schema: JsonObject): fc.Arbitrary<string> {
  const minLength = numberOf(schema, 'minLength') ?? 0
  const maxLength = numberOf(schema, 'maxLength') ?? 50
  const pattern = schema['pattern']
  const expression = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined
  const fits = (text: string) => {
    const { length } = [...text]
    return length >= minLength && length <= maxLength && expression?.test(text) !== false
  }
  const format = schema['format']
  const formatted = typeof format === 'string' ? formats[format] : undefined
  if (formatted !== undefined) return formatted.filter(fits)
  if (expression === undefined || typeof pattern !== 'string') {
    return fc.oneof(
      fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
      fc.constantFrom(minLength, maxLength).map((length) => 'א'.repeat(length)),
    )
  }
  // The generator has no assertions; what they forbid is left out afterwards.
  const plain = pattern.replaceAll(/\(\?[=!][^()]*(\([^()]*\)[^()]*)*\)/g, '')
  return fc.stringMatching(new RegExp(plain, 'u')).filter(fits)
}

const instant = fc.date({
  min: new Date('2026-11-20T00:00:00Z'),
  max: new Date('2027-11-20T00:00:00Z'),
  noInvalidDate: true,
})

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  email: fc.emailAddress(),
  uri: fc.webUrl({ validSchemes: ['https'] }),
  date: fc.oneof(
    { weight: 5, arbitrary: instant.map((date) => date.toISOString().slice(0, 10)) },
    { weight: 1, arbitrary: fc.constantFrom('0000-01-01', '0001-01-01', '9999-12-31') },
  ),
  'date-time': fc.oneof(
    { weight: 5, arbitrary: instant.map((date) => date.toISOString()) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0000-01-01T00:00:00+23:59',
        '9999-12-31T23:59:60Z',
        '9999-12-31T23:59:59-23:59',
        '2027-03-26T02:30:00.123456789+02:00',
      ),
    },
  ),
}

/** Members that the other alternatives require and this one does not. */
function rivals(alternatives: readonly JsonObject[], one: JsonObject): string[] {
  const own = stringsOf(one['required'])
  return alternatives
    .flatMap((other) => stringsOf(other['required']))
    .filter((name) => !own.includes(name))
}

function without(schema: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return schema
  const kept = Object.entries(membersOf(schema, 'properties')).filter(
    ([name]) => !names.includes(name),
  )
  return { ...schema, properties: Object.fromEntries(kept) }
}

/** Both together: members and required ones of both, else the keyword of `b`. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  return {
    ...a,
    ...b,
    ...(isJsonObject(a['properties']) || isJsonObject(b['properties'])
      ? { properties: { ...membersOf(a, 'properties'), ...membersOf(b, 'properties') } }
      : {}),
    ...(a['required'] === undefined && b['required'] === undefined
      ? {}
      : { required: [...stringsOf(a['required']), ...stringsOf(b['required'])] }),
  }
}

function membersOf(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword]
  return isJsonObject(value) ? value : {}
}

/** The schema with its references followed, those of what it refers to as well. */
function resolved(schema: JsonObject, options: SchemaArbitraryOptions): JsonObject {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const { $ref: _, ...own } = schema
  const target = locate(options.document, reference.slice(1))?.value ?? {}
  return merged(resolved(target, options), own)
}

function typeOf(schema: JsonObject): string {
  const { type } = schema
  if (typeof type === 'string') return type
  const [first] = stringsOf(type)
  if (first !== undefined) return first
  return schema['properties'] === undefined && schema['required'] === undefined
    ? 'string'
    : 'object'
}

function numberOf(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

function ceiling(schema: JsonObject): { max?: number } {
  const max = numberOf(schema, 'maximum')
  return max === undefined ? {} : { max }
}
