import type { ErrorObject } from 'ajv/dist/2020.js'
import type { JsonObject } from '../catalogue.ts'
import { isJsonObject, objectMembersOf, objectsOf, stringsOf } from '../json.ts'
import { composed, referred } from './schema-parts.ts'

/** One thing that is wrong with a value, described without repeating the value. */
export interface SchemaFault {
  /** Where, dotted: `access.accounts[0].iban`; empty for the value as a whole. */
  readonly path: string
  /** The keyword of JSON Schema that is not kept. */
  readonly rule: string
  /** A sentence without its subject: `must have at most 140 characters`. */
  readonly message: string
}

export interface DescribeFaultsOptions {
  /** Errors of a verbose validator that looks for all errors. */
  readonly errors: readonly ErrorObject[]
  readonly document: JsonObject
  /** The place of a schema in the document. */
  readonly pointerOf: (schema: object) => string | undefined
  /** The faults of a value by the schema at a pointer. */
  readonly faults: (pointer: string, value: unknown) => readonly SchemaFault[]
}

const faultsMax = 100

/**
 * Puts a validator's errors into words. If all alternatives (`oneOf`, `anyOf`)
 * failed, reports only what helps: the faults inside the alternative whose
 * outline fits, or else the list of alternatives.
 */
export function describeFaults(options: DescribeFaultsOptions): readonly SchemaFault[] {
  const { document } = options
  const kept: ErrorObject[] = []
  for (const error of options.errors) {
    if (isEcho(error, document)) continue
    if (sumsUp(error)) dropAlternatives(kept, error, document)
    kept.push(error)
  }
  const faults = kept
    .slice(0, faultsMax)
    .flatMap((error) => (sumsUp(error) ? describeAlternatives(error, options) : [describe(error)]))
  const unique = new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault]))
  return [...unique.values()].slice(0, faultsMax)
}

function sumsUp({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf' || keyword === 'anyOf'
}

/**
 * Errors that only repeat others: a failed `then`, or a known member that
 * counts as unevaluated because the part that knows it failed.
 */
function isEcho(error: ErrorObject, document: JsonObject): boolean {
  if (error.keyword === 'if') return true
  if (error.keyword !== 'unevaluatedProperties' || !isJsonObject(error.parentSchema)) return false
  return knowsMember(document, error.parentSchema, memberOf(error) ?? '', new Set())
}

function knowsMember(
  document: JsonObject,
  schema: JsonObject,
  name: string,
  seen: Set<JsonObject>,
): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const { properties } = schema
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return true
  return partsOf(document, schema).some((part) => knowsMember(document, part, name, seen))
}

/** The errors of the alternatives come right before the error that sums them up. */
function dropAlternatives(kept: ErrorObject[], sum: ErrorObject, document: JsonObject): void {
  const inside = new Set<unknown>()
  for (const alternative of objectsOf(alternativesOf(sum))) collect(document, alternative, inside)
  for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
    if (!isWithin(last.instancePath, sum.instancePath) || !inside.has(last.parentSchema)) return
    kept.pop()
  }
}

function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(`${ancestor}/`)
}

/** All schemas a schema consists of, references followed. */
function collect(document: JsonObject, schema: JsonObject, into: Set<unknown>): void {
  if (into.has(schema)) return
  into.add(schema)
  const { properties } = schema
  // Of a member that is forbidden (`name: false`) the error has no other schema.
  if (isJsonObject(properties) && Object.values(properties).includes(false)) into.add(false)
  const others = ['items', 'additionalProperties', 'contains', 'propertyNames', 'not']
  for (const part of [
    ...partsOf(document, schema),
    ...objectMembersOf(properties).map(([, child]) => child),
    ...others.map((keyword) => schema[keyword]).filter(isJsonObject),
  ]) {
    collect(document, part, into)
  }
}

function partsOf(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  return [...composed(document, schema), ...objectsOf([schema['if'] ?? null])]
}

function describeAlternatives(
  error: ErrorObject,
  { document, pointerOf, faults }: DescribeFaultsOptions,
): readonly SchemaFault[] {
  const path = pathOf(error)
  const rule = error.keyword
  const alternatives = objectsOf(alternativesOf(error))
  const members = alternatives.map(onlyRequired)
  const isChoiceOfMembers = members.every((name) => name !== undefined)
  const names = alternatives.map((alternative) => alternativeName(document, alternative))
  const choice = isChoiceOfMembers ? `one of: ${members.join(', ')}` : `one of: ${names.join('; ')}`
  if (Array.isArray(error.params['passingSchemas'])) {
    const message = isChoiceOfMembers ? `must have only ${choice}` : `must be only ${choice}`
    return [{ path, rule, message }]
  }
  if (isChoiceOfMembers && isJsonObject(error.data)) {
    return [{ path, rule, message: `must have ${choice}` }]
  }
  const tried = alternatives
    .map((alternative) => pointerOf(alternative))
    .filter((pointer) => pointer !== undefined)
    .map((pointer) => faults(pointer, error.data))
  // The one whose outline fits, or else the one that only has members too many.
  for (const outline of [outlineRules, missingRules]) {
    const [only, ...others] = tried.filter((list) =>
      list.every((fault) => isInside(fault, outline)),
    )
    if (only !== undefined && others.length === 0) {
      return only.map((fault) => ({ ...fault, path: joinPaths(path, fault.path) }))
    }
  }
  return [{ path, rule, message: `must be ${choice}` }]
}

/** The member that an alternative asks for, where it says nothing else. */
function onlyRequired(alternative: JsonObject): string | undefined {
  const [name, ...others] = stringsOf(alternative['required'])
  return others.length === 0 && Object.keys(alternative).length === 1 ? name : undefined
}

/** Wrong about a member's value, not about which members there are. */
function isInside({ path, rule }: SchemaFault, outline: ReadonlySet<string>): boolean {
  if (path === '' || rule === 'const' || rule === 'enum') return false
  const isAtTop = !/[.[]/.test(path)
  return !(isAtTop && outline.has(rule))
}

const missingRules: ReadonlySet<string> = new Set(['required', 'dependentRequired'])
const outlineRules: ReadonlySet<string> = new Set([
  ...missingRules,
  'additionalProperties',
  'unevaluatedProperties',
])

function alternativesOf(error: ErrorObject): JsonObject[string] {
  return schemaOf(error)[error.keyword]
}

/** What a reader would call the alternative: its title, the name it is referred to by, or what it asks for. */
function alternativeName(document: JsonObject, alternative: JsonObject): string {
  const reference = alternative['$ref']
  const schema = referred(document, alternative) ?? alternative
  if (typeof schema['title'] === 'string') return schema['title']
  if (typeof reference === 'string') return reference.slice(reference.lastIndexOf('/') + 1)
  const required = stringsOf(schema['required'])
  if (required.length > 0) return `with ${required.join(' and ')}`
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  const { format, type } = schema
  if (typeof format === 'string') return formatName(format)
  return typeof type === 'string' ? a(type) : 'another form'
}

function describe(error: ErrorObject): SchemaFault {
  const message = messages[error.keyword]?.(error) ?? `breaks the rule ${error.keyword}`
  return { path: pathOf(error), rule: error.keyword, message }
}

/** The member that is missing or too much. */
function memberOf({ params }: ErrorObject): string | undefined {
  return params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty']
}

/**
 * Where the fault is: at the member that is missing or too much, not at the
 * object around it. `/access/accounts/0/iban` reads `access.accounts[0].iban`.
 * Names a sender made up are not repeated.
 */
function pathOf(error: ErrorObject): string {
  const tokens = error.instancePath.split('/').slice(1)
  const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [...names, memberOf(error)].reduce<string>((path, name) => {
    if (name === undefined) return path
    if (/^[0-9]+$/.test(name)) return `${path}[${name}]`
    return joinPaths(path, /^[A-Za-z_$][\w$-]{0,63}$/.test(name) ? name : '(unknown member)')
  }, '')
}

function joinPaths(outer: string, inner: string): string {
  if (outer === '' || inner === '') return outer + inner
  return inner.startsWith('[') ? outer + inner : `${outer}.${inner}`
}

/** What is wrong, by the keyword that is not kept. */
const messages: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  dependentRequired: ({ params }) => `is required beside ${params['property']}`,
  additionalProperties: () => 'is unknown; check its spelling',
  unevaluatedProperties: () => 'is unknown; check its spelling',
  'false schema': (error) => `is not allowed ${besideOf(error) ?? 'here'}`,
  type: (error) => `must be ${typesOf(schemaOf(error)['type']).map(a).join(' or ')}`,
  enum: (error) => `must be ${formOf(error) ?? `one of ${listValues(schemaOf(error)['enum'])}`}`,
  const: (error) => `must be ${JSON.stringify(schemaOf(error)['const'])}`,
  pattern(error) {
    const form = formOf(error)
    return form === undefined
      ? `must match the pattern ${error.params['pattern']}`
      : `must be ${form}`
  },
  format: ({ params }) => `must be ${formatName(params['format'])}`,
  minLength: (error) => atLeast(error, 'characters'),
  maxLength: ({ params }) => `must have at most ${params['limit']} characters`,
  minItems: (error) => atLeast(error, 'items'),
  maxItems: (error) =>
    error.params['limit'] === 0
      ? ['must be empty', besideOf(error)].join(' ').trimEnd()
      : `must have at most ${error.params['limit']} items`,
  minProperties: (error) => atLeast(error, 'members'),
  maxProperties: ({ params }) => `must have at most ${params['limit']} members`,
  uniqueItems: () => 'must not have the same item twice',
  minimum: ({ params }) => `must be ${params['limit']} or more`,
  maximum: ({ params }) => `must be ${params['limit']} or less`,
  exclusiveMinimum: ({ params }) => `must be more than ${params['limit']}`,
  exclusiveMaximum: ({ params }) => `must be less than ${params['limit']}`,
  multipleOf: ({ params }) => `must be a multiple of ${params['multipleOf']}`,
  not: () => 'must not have this form',
  contains: () => 'must contain an item that is missing',
  propertyNames: () => 'has a member whose name is not allowed',
}

function atLeast({ params }: ErrorObject, what: string): string {
  return params['limit'] === 1
    ? 'must not be empty'
    : `must have at least ${params['limit']} ${what}`
}

function schemaOf({ parentSchema }: ErrorObject): JsonObject {
  return isJsonObject(parentSchema) ? parentSchema : {}
}

/** What is asked for, in words of the document. */
function formOf(error: ErrorObject): string | undefined {
  const form = schemaOf(error)['x-form']
  return typeof form === 'string' ? form : undefined
}

/** `beside allPsd2`: the member whose presence (`dependentSchemas`) asks for what is not kept. */
function besideOf({ schemaPath }: ErrorObject): string | undefined {
  const name = /.*\/dependentSchemas\/([^/]+)\//.exec(schemaPath)?.[1]
  return name === undefined ? undefined : `beside ${name}`
}

function formatName(format: string): string {
  return formatNames.get(format) ?? `of the format ${format}`
}

const formatNames: ReadonlyMap<string, string> = new Map([
  ['date', 'a date (YYYY-MM-DD)'],
  ['time', 'a time with its offset (hh:mm:ssZ)'],
  ['date-time', 'a date and time with its offset (YYYY-MM-DDThh:mm:ssZ)'],
  ['duration', 'an ISO 8601 duration'],
  ['uuid', 'a UUID'],
  ['uri', 'an absolute URI'],
  ['uri-reference', 'a URI or a relative reference'],
  ['email', 'an email address'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
  ['hostname', 'a host name'],
  ['byte', 'text in base64'],
])

function typesOf(type: JsonObject[string]): readonly string[] {
  return typeof type === 'string' ? [type] : stringsOf(type)
}

function a(type: string): string {
  return typeNames.get(type) ?? `a ${type}`
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['null', 'null'],
  ['object', 'an object'],
])

/** The values of an `enum` as text, at most 30. */
export function listValues(values: JsonObject[string]): string {
  const all = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : []
  return all.length > 30
    ? `${all.slice(0, 30).join(', ')} and ${all.length - 30} more`
    : all.join(', ')
}
