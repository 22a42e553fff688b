import type { Json, JsonObject } from './catalogue.ts'
import { type Change, type ChangedPart, type ChangeVerb, changeOf } from './change.ts'
import { annotations, locate, referredSchema } from './documents/reference.ts'
import { isJsonArray, isJsonObject, objectsOf, stringsOf } from './json.ts'

export interface SchemaSide {
  readonly document: JsonObject
  readonly schema: Json | undefined
}

export interface CompareSchemasOptions {
  readonly before: SchemaSide
  readonly after: SchemaSide
  readonly part: ChangedPart
  /** The side that sends the value: a request may ask for less, a response may promise more, without breaking callers. */
  readonly direction: 'request' | 'response'
  /** Pairs found to say the same, remembered from one comparison of two documents to the next. */
  readonly same: SamePairs
}

export type SamePairs = WeakMap<JsonObject, WeakSet<JsonObject>>

/**
 * Compares what two schemas say, member by member. References are followed and
 * `allOf` is read as one schema, so only what a caller notices counts.
 * Descriptions and examples do not.
 */
export function compareSchemas(options: CompareSchemasOptions): readonly Change[] {
  const { before, after, part, direction, same } = options
  const changes: Change[] = []
  const underway = new Map<JsonObject, Set<JsonObject>>()
  /** How often a schema that contains itself was taken as the same before that was known. */
  let assumptions = 0
  compare(before.schema, after.schema, '')
  return changes

  function add(
    path: string,
    verb: ChangeVerb,
    isBreaking: boolean,
    values: Change['values'] = {},
  ): void {
    changes.push(changeOf({ part, path, verb, values, isBreaking }))
  }

  function compare(was: Json | undefined, is: Json | undefined, path: string): void {
    const old = isJsonObject(was) ? referredSchema(before.document, was) : undefined
    const young = isJsonObject(is) ? referredSchema(after.document, is) : undefined
    if (old === undefined || young === undefined) {
      if (was !== is) add(path, 'differs', true)
      return
    }
    if (same.get(old)?.has(young)) return
    const partners = underway.get(old) ?? new Set()
    if (partners.has(young)) {
      // The outer comparison reports it.
      assumptions++
      return
    }
    const changesBefore = changes.length
    const assumptionsBefore = assumptions
    underway.set(old, partners.add(young))
    compareFlat(flatten(before.document, old), flatten(after.document, young), path)
    partners.delete(young)
    if (changes.length > changesBefore || assumptions > assumptionsBefore) return
    same.set(old, (same.get(old) ?? new WeakSet()).add(young))
  }

  function compareFlat(old: FlatSchema, young: FlatSchema, path: string): void {
    compareMembers(old, young, path)
    for (const keyword of new Set([...old.rules.keys(), ...young.rules.keys()])) {
      const was = old.rules.get(keyword)
      const is = young.rules.get(keyword)
      if (keyword === 'items') {
        if (was !== undefined && is !== undefined) compare(was, is, `${path}[]`)
        else add(`${path}[]`, 'differs', true)
      } else if (keyword === 'additionalProperties' && isJsonObject(was) && isJsonObject(is)) {
        compare(was, is, joined(path, '*'))
      } else if (isAlternatives(keyword)) compareAlternatives(was, is, path)
      else compareRule(keyword, resolved(before.document, was), resolved(after.document, is), path)
    }
  }

  function compareMembers(old: FlatSchema, young: FlatSchema, path: string): void {
    for (const name of old.members.keys()) {
      if (!young.members.has(name)) add(joined(path, name), 'removed', true)
    }
    for (const [name, schema] of young.members) {
      const at = joined(path, name)
      const isRequired = young.required.has(name)
      const known = old.members.get(name)
      if (known === undefined) {
        const isBreaking = direction === 'request' && isRequired
        add(at, isRequired ? 'addedRequired' : 'addedOptional', isBreaking)
        continue
      }
      if (old.required.has(name) !== isRequired) {
        const isBreaking = (direction === 'request') === isRequired
        add(at, isRequired ? 'required' : 'optional', isBreaking)
      }
      compare(known, schema, at)
    }
    // An alternative may ask for members that are described beside it.
    for (const name of new Set([...old.required, ...young.required])) {
      if (old.members.has(name) || young.members.has(name)) continue
      const isRequired = young.required.has(name)
      if (old.required.has(name) === isRequired) continue
      const isBreaking = (direction === 'request') === isRequired
      add(joined(path, name), isRequired ? 'required' : 'optional', isBreaking)
    }
  }

  function compareAlternatives(was: Json | undefined, is: Json | undefined, path: string): void {
    const old = isJsonArray(was) ? was : []
    const young = isJsonArray(is) ? is : []
    if (old.length === young.length) {
      for (const [index, alternative] of young.entries()) compare(old[index], alternative, path)
    } else {
      const isBreaking = old.length > young.length || direction === 'response'
      const values = { from: String(old.length), to: String(young.length) }
      add(path, 'alternatives', isBreaking, values)
    }
  }

  function compareRule(
    keyword: string,
    was: Json | undefined,
    is: Json | undefined,
    path: string,
  ): void {
    if (isSameJson(was, is)) return
    const isHarmless =
      direction === 'request' ? isWider(keyword, was, is) : isWider(keyword, is, was)
    const isBreaking = !isHarmless
    const verb = was === undefined ? 'ruleAdded' : is === undefined ? 'ruleRemoved' : 'ruleChanged'
    add(path, verb, isBreaking, {
      rule: keyword,
      ...(was === undefined ? {} : { from: show(was) }),
      ...(is === undefined ? {} : { to: show(is) }),
    })
  }
}

/** Whether two JSON values are equal; the order of members does not count. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isJsonArray(a)) {
    if (!isJsonArray(b) || a.length !== b.length) return false
    return a.every((item, index) => isSameJson(item, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
}

/** A schema and the parts it is composed of, as one. */
interface FlatSchema {
  readonly members: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  /** All other keywords that judge a value. */
  readonly rules: ReadonlyMap<string, Json>
}

function flatten(document: JsonObject, schema: JsonObject): FlatSchema {
  const members = new Map<string, Json>()
  const required = new Set<string>()
  const rules = new Map<string, Json>()
  const seen = new Set<JsonObject>()
  const visit = (part: JsonObject) => {
    if (seen.has(part)) return
    seen.add(part)
    const target = referred(document, part)
    if (target !== undefined) visit(target)
    objectsOf(part['allOf']).forEach(visit)
    for (const name of stringsOf(part['required'])) required.add(name)
    const { properties } = part
    for (const [name, member] of isJsonObject(properties) ? Object.entries(properties) : []) {
      const known = members.get(name)
      if (member !== undefined)
        members.set(name, known === undefined ? member : { allOf: [known, member] })
    }
    for (const [keyword, value] of Object.entries(part)) {
      if (value === undefined || isSilent(keyword) || composing.has(keyword)) continue
      const known = rules.get(keyword)
      // Two parts with a rule of the same name both hold.
      if (known === undefined || isSameJson(known, value)) rules.set(keyword, value)
      else rules.set(`${keyword} of another part`, value)
    }
  }
  visit(schema)
  return { members, required, rules }
}

const composing: ReadonlySet<string> = new Set(['$ref', '$defs', 'allOf', 'properties', 'required'])

function isSilent(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-') || keyword === 'discriminator'
}

function isAlternatives(keyword: string): boolean {
  return /^(oneOf|anyOf)\b/.test(keyword)
}

/** The value with references replaced by what they lead to and annotations left out. */
function resolved(document: JsonObject, value: Json | undefined): Json | undefined {
  const resolve = (part: Json | undefined, way: readonly JsonObject[]): Json | undefined => {
    if (isJsonArray(part)) return part.map((item) => resolve(item, way) ?? null)
    if (!isJsonObject(part)) return part
    if (way.includes(part)) return { contains: 'itself' }
    const inner = [...way, part]
    const target = referred(document, part)
    const own = Object.entries(part)
      .filter(([name]) => name !== '$ref' && !isSilent(name))
      .map(([name, member]) => [name, resolve(member, inner)] as const)
    const referredTo = target === undefined ? undefined : resolve(target, inner)
    return { ...(isJsonObject(referredTo) ? referredTo : {}), ...Object.fromEntries(own) }
  }
  return resolve(value, [])
}

function referred(document: JsonObject, schema: JsonObject): JsonObject | undefined {
  const reference = schema['$ref']
  return typeof reference === 'string' ? locate(document, reference.slice(1))?.value : undefined
}

/** Whether every value that kept the rule before surely keeps it now. */
function isWider(keyword: string, was: Json | undefined, is: Json | undefined): boolean {
  if (is === undefined) return was !== undefined && bounding.has(keyword)
  if (was === undefined) return false
  if (keyword === 'enum') return includesAll(asList(is), asList(was))
  if (keyword === 'type') return includesAll(asList(is), asList(was))
  if (typeof was !== 'number' || typeof is !== 'number') return false
  if (/^(exclusiveM|m)ax/.test(keyword)) return is >= was
  return /^(exclusiveM|m)in/.test(keyword) && is <= was
}

/** Keywords whose absence lets more through. */
const bounding: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])

function asList(value: Json): readonly Json[] {
  return isJsonArray(value) ? value : [value]
}

function includesAll(all: readonly Json[], some: readonly Json[]): boolean {
  return some.every((item) => all.some((other) => isSameJson(item, other)))
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function show(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
