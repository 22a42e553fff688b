import {
  listOf,
  type Members,
  membersOf,
  resolved,
  textOf,
} from '../../portal/documents/document-nodes.ts'

/** One member of an object, or one of several forms of a value. */
export interface SchemaMember {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
}

/** What a reader wants to know of a schema, one level deep. */
export interface SchemaFacts {
  /** `string`, `array of object`, `array of array of object`. */
  readonly type: string
  readonly description: string
  /** Values that are allowed; empty if any is. */
  readonly choices: readonly string[]
  /** In words that JSON Schema uses: `at most 35 characters`. */
  readonly constraints: readonly Constraint[]
  readonly example: string
  /** Members of the object, or of the objects in the list. */
  readonly members: readonly SchemaMember[]
  /** Forms that the value may have: one of each group. */
  readonly forms: readonly (readonly SchemaMember[])[]
}

/** A rule for the value, with the name of its message. */
export interface Constraint {
  readonly rule: 'format' | 'pattern' | 'length' | 'items' | 'range' | 'default'
  readonly value: string
}

/** Reads a schema: references and `allOf` are joined, and a list, even a list of lists, shows what its items are. */
export function schemaFacts(document: unknown, node: unknown): SchemaFacts {
  const root = membersOf(document)
  const schema = joined(root, node)
  const levels = listLevels(root, schema)
  const inner = levels.at(-1) ?? schema
  const items = inner === schema ? undefined : inner.members
  const [example] = listOf(schema.members['examples'])
  return {
    type: `${'array of '.repeat(levels.length - 1)}${typeName(inner)}`,
    description: textOf(schema.members['description']) || textOf(items?.['description']),
    choices: choicesOf(inner.members),
    constraints: constraintsOf(schema.members, items),
    example: example === undefined || typeof example === 'object' ? '' : String(example),
    members: membersIn(root, inner.members),
    forms: inner.groups.map((group) => formsIn(root, group)).filter(({ length }) => length > 0),
  }
}

function formsIn(root: Members, group: readonly unknown[]): readonly SchemaMember[] {
  return (
    group
      .map((node, index) => ({ form: joined(root, node).members, node, index }))
      // A form that only names required members says nothing by itself.
      .filter(({ form }) => form['type'] !== undefined || form['properties'] !== undefined)
      .map(({ form, node, index }) => ({
        name: textOf(form['title']) || referredName(node) || String(index + 1),
        isRequired: false,
        schema: node,
      }))
  )
}

/** Circular schemas, and those too deep for a reader, end at this depth. */
const depthMax = 32

/** A schema, what its items are, what their items are, and so on. */
function listLevels(root: Members, schema: Joined): readonly Joined[] {
  const levels = [schema]
  let items = schema.members['items']
  while (items !== undefined && levels.length < depthMax) {
    const level = joined(root, items)
    levels.push(level)
    items = level.members['items']
  }
  return levels
}

/** A schema with all parts of its `allOf`. */
interface Joined {
  readonly members: Members
  /** The lists of `oneOf` and `anyOf` in any part: the value has a form out of each. */
  readonly groups: readonly (readonly unknown[])[]
}

/** By document and node: parts may share parts of their own, which would be joined again and again. */
const known = new WeakMap<Members, WeakMap<Members, Joined>>()

function joined(root: Members, node: unknown, depth = 0): Joined {
  const place = membersOf(node)
  const ofRoot = known.get(root) ?? new WeakMap<Members, Joined>()
  known.set(root, ofRoot)
  const found = ofRoot.get(place) ?? join(root, place, depth)
  ofRoot.set(place, found)
  return found
}

function join(root: Members, node: Members, depth: number): Joined {
  const own = resolved(root, node)
  const ownGroups = [listOf(own['oneOf']), listOf(own['anyOf'])].filter(({ length }) => length > 0)
  const parts =
    depth < depthMax ? listOf(own['allOf']).map((part) => joined(root, part, depth + 1)) : []
  if (parts.length === 0) return { members: own, groups: ownGroups }
  const all = [...parts.map(({ members }) => members), own]
  return {
    members: {
      ...Object.assign({}, ...all),
      properties: Object.assign({}, ...all.map((part) => membersOf(part['properties']))),
      required: [...new Set(all.flatMap((part) => listOf(part['required'])))],
    },
    groups: [...new Set([...parts.flatMap(({ groups }) => groups), ...ownGroups])],
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
  return Object.keys(joined(root, others).members).length === 0
    ? named
    : [...named, { name: '*', isRequired: false, schema: others }]
}

function typeName({ members, groups }: Joined): string {
  const { type, properties } = members
  if (Array.isArray(type)) return type.join(' or ')
  if (typeof type === 'string') return type
  if (Object.keys(membersOf(properties)).length > 0) return 'object'
  const [first] = [...listOf(members['enum']), members['const']].filter(
    (each) => each !== undefined,
  )
  if (first === null) return 'null'
  if (first !== undefined) return Array.isArray(first) ? 'array' : typeof first
  return groups.length > 0 ? 'one of several' : 'any'
}

function choicesOf(schema: Members): readonly string[] {
  const { const: only } = schema
  const choices = [...listOf(schema['enum']), ...(only === undefined ? [] : [only])]
  return choices.map((choice) =>
    typeof choice === 'object' ? JSON.stringify(choice) : String(choice),
  )
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
