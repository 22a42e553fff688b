import { listOf, type Members, membersOf, resolved, textOf } from './document-nodes.ts'

/** One member of an object, or one of several forms of a value. */
export interface SchemaMember {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
}

/** What a reader wants to know of a schema, one level deep. */
export interface SchemaFacts {
  /** `string`, `array of object`. */
  readonly type: string
  readonly description: string
  /** Values that are allowed; empty if any is. */
  readonly choices: readonly string[]
  /** In words that JSON Schema uses: `at most 35 characters`. */
  readonly constraints: readonly Constraint[]
  readonly example: string
  /** Members of the object, or of the objects in the list. */
  readonly members: readonly SchemaMember[]
  /** Forms that the value may have instead. */
  readonly forms: readonly SchemaMember[]
}

/** A rule for the value, with the name of its message. */
export interface Constraint {
  readonly rule: 'format' | 'pattern' | 'length' | 'items' | 'range' | 'default'
  readonly value: string
}

/** Reads a schema: references and `allOf` are joined, and a list shows what its items are. */
export function schemaFacts(document: unknown, node: unknown): SchemaFacts {
  const root = membersOf(document)
  const schema = joined(root, node)
  const items = schema['items'] === undefined ? undefined : joined(root, schema['items'])
  const inner = items ?? schema
  const forms = [...listOf(inner['oneOf']), ...listOf(inner['anyOf'])]
  const [example] = listOf(schema['examples'])
  return {
    type: typeText(schema, items),
    description: textOf(schema['description']) || textOf(items?.['description']),
    choices: choicesOf(inner),
    constraints: constraintsOf(schema, items),
    example: example === undefined || typeof example === 'object' ? '' : String(example),
    members: membersIn(root, inner),
    forms: forms
      .map((form, index) => ({ form: joined(root, form), node: form, index }))
      // A form that only names required members says nothing by itself.
      .filter(({ form }) => form['type'] !== undefined || form['properties'] !== undefined)
      .map(({ form, node: each, index }) => ({
        name: textOf(form['title']) || referredName(each) || String(index + 1),
        isRequired: false,
        schema: each,
      })),
  }
}

function joined(root: Members, node: unknown): Members {
  const own = resolved(root, node)
  const parts = listOf(own['allOf']).map((part) => joined(root, part))
  if (parts.length === 0) return own
  const all = [...parts, own]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => membersOf(part['properties']))),
    required: all.flatMap((part) => listOf(part['required'])),
  }
}

function membersIn(root: Members, schema: Members): readonly SchemaMember[] {
  const required = new Set(listOf(schema['required']))
  const named = Object.entries(membersOf(schema['properties'])).map(([name, each]) => ({
    name,
    isRequired: required.has(name),
    schema: each,
  }))
  const others = membersOf(schema['additionalProperties'])
  if (Object.keys(others).length === 0) return named
  const type = joined(root, others)
  return Object.keys(type).length === 0
    ? named
    : [...named, { name: '*', isRequired: false, schema: others }]
}

function typeText(schema: Members, items: Members | undefined): string {
  if (items !== undefined) return `array of ${typeName(items)}`
  return typeName(schema)
}

function typeName(schema: Members): string {
  const { type, properties, oneOf, anyOf } = schema
  if (Array.isArray(type)) return type.join(' or ')
  if (typeof type === 'string') return type
  if (properties !== undefined) return 'object'
  const [first] = [...listOf(schema['enum']), schema['const']].filter((each) => each !== undefined)
  if (first !== undefined) return typeof first
  return oneOf !== undefined || anyOf !== undefined ? 'one of several' : 'any'
}

function choicesOf(schema: Members): readonly string[] {
  const { const: only } = schema
  return [...listOf(schema['enum']), ...(only === undefined ? [] : [only])].map(String)
}

function constraintsOf(schema: Members, items: Members | undefined): readonly Constraint[] {
  const inner = items ?? schema
  const found: Constraint[] = []
  const add = (rule: Constraint['rule'], value: string | undefined): void => {
    if (value !== undefined && value !== '') found.push({ rule, value })
  }
  add('format', textOf(inner['format']))
  add('length', bounds(inner['minLength'], inner['maxLength']))
  add('range', bounds(inner['minimum'], inner['maximum']))
  add('items', bounds(schema['minItems'], schema['maxItems']))
  add('pattern', textOf(inner['pattern']))
  const { default: usual } = inner
  add('default', usual === undefined || typeof usual === 'object' ? undefined : String(usual))
  return found
}

/** `1–35`, `≤ 35`, `≥ 1`. */
function bounds(least: unknown, most: unknown): string | undefined {
  if (typeof least === 'number' && typeof most === 'number') {
    return least === most ? String(least) : `${least}–${most}`
  }
  if (typeof most === 'number') return `≤ ${most}`
  return typeof least === 'number' ? `≥ ${least}` : undefined
}

/** `#/components/schemas/IbanAccount` → `IbanAccount`. */
function referredName(node: unknown): string {
  const reference = membersOf(node)['$ref']
  return typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : ''
}
