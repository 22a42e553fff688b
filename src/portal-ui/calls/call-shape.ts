import { listOf, type Members, membersOf, resolved } from '../../portal/documents/document-nodes.ts'
import { callCredentials } from './call-credentials.ts'

/** How to call an operation, according to its OpenAPI document. */
export interface CallShape {
  readonly operation: string
  readonly method: string
  /** With the version prefix: `/v1.7.0/accounts/{account-id}`. */
  readonly path: string
  readonly summary: string
  readonly parameters: readonly CallParameter[]
  /** Absent when the operation takes no body. */
  readonly body?: CallBody
}

/** A value that goes into the path, the query or a header of a call. */
export interface CallParameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  /** The security scheme whose secret it is: then the example only shows its form. */
  readonly scheme?: string
  /** The first sentence of the description, in plain text. */
  readonly purpose: string
  /** The document's example; empty without one. */
  readonly example: string
  /** Values that the document lists; empty if it lists none. */
  readonly choices: readonly string[]
}

/** The body of a call, with the examples of the document. */
export interface CallBody {
  readonly mediaType: string
  readonly examples: readonly { readonly title: string; readonly text: string }[]
}

/** An operation as `GET /api/apis` lists it; its path has the version prefix. */
export interface ListedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
}

/**
 * Reads the shape of one operation out of its version's OpenAPI document.
 *
 * @returns a shape without parameters and body if the document lacks the operation
 */
export function callShape(document: unknown, listed: ListedOperation): CallShape {
  const root = membersOf(document)
  const found = findOperation(root, listed)
  const { id: operation, method, path, summary } = listed
  const shape = { operation, method, path, summary }
  if (found === undefined) return { ...shape, parameters: [] }
  const parameters = new Map<string, CallParameter>()
  // The operation's own come last and replace those of its path.
  for (const each of [...listOf(found.item['parameters']), ...listOf(found.own['parameters'])]) {
    const parameter = callParameter(root, resolved(root, each))
    if (parameter !== undefined) parameters.set(`${parameter.place} ${parameter.name}`, parameter)
  }
  const declared = [...parameters.values()]
  const isDeclared = ({ place, name }: CallParameter) =>
    declared.some((each) => each.place === place && each.name.toLowerCase() === name.toLowerCase())
  const credentials = callCredentials(root, found.own)
    .filter((each) => !isDeclared(each))
    .map((each) => ({ ...each, purpose: firstSentence(each.purpose) }))
  const body = callBody(root, resolved(root, found.own['requestBody']))
  return {
    ...shape,
    parameters: [...credentials, ...declared],
    ...(body === undefined ? {} : { body }),
  }
}

/** Whether the value can only come from an earlier response, for example the id of a created resource. */
export function isFromEarlierAnswer(parameter: CallParameter): boolean {
  const { place, name, isRequired, scheme, choices } = parameter
  if (scheme !== undefined) return false
  if (place === 'path') return choices.length === 0
  return place === 'header' && isRequired && name.endsWith('-ID') && name !== requestIdHeader
}

/** Whether the operation needs no value from an earlier response. */
export function isFirstCall({ parameters }: CallShape): boolean {
  return !parameters.some(isFromEarlierAnswer)
}

/** The header that asks the sandbox for a drill. */
export const drillHeader = 'Sandbox-Drill'

/** The header that identifies a call. */
export const requestIdHeader = 'X-Request-ID'

/** By its place: another operation of the document may have the same id. */
function findOperation(root: Members, { id, method, path }: ListedOperation) {
  for (const [template, each] of Object.entries(membersOf(root['paths']))) {
    if (!path.endsWith(template)) continue
    const item = resolved(root, each)
    const own = membersOf(item[method.toLowerCase()])
    if (own['operationId'] === id) return { item, own }
  }
  return undefined
}

function callParameter(root: Members, parameter: Members): CallParameter | undefined {
  const { name, in: place } = parameter
  if (typeof name !== 'string') return undefined
  if (place !== 'path' && place !== 'query' && place !== 'header') return undefined
  const choices = choicesOf(root, parameter)
  return {
    name,
    place,
    isRequired: parameter['required'] === true,
    purpose: firstSentence(parameter['description']),
    example: typed(parameter['example']) || (choices[0] ?? ''),
    choices,
  }
}

function choicesOf(root: Members, parameter: Members): readonly string[] {
  const schema = resolved(root, parameter['schema'])
  const listed = listOf(schema['enum']).map(typed)
  if (listed.length > 0) return listed
  const examples = Object.values(membersOf(parameter['examples']))
  return examples.map((example) => typed(resolved(root, example)['value']))
}

function callBody(root: Members, requestBody: Members): CallBody | undefined {
  const [first] = Object.entries(membersOf(requestBody['content']))
  if (first === undefined) return undefined
  const [mediaType, content] = first
  const { example, examples } = membersOf(content)
  const named = Object.entries(membersOf(examples)).map(([name, each]) => {
    const { summary, value } = resolved(root, each)
    return { title: typeof summary === 'string' ? summary : name, text: pretty(value) }
  })
  const single = example === undefined ? [] : [{ title: 'Example', text: pretty(example) }]
  return { mediaType, examples: [...single, ...named] }
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

function firstSentence(description: unknown): string {
  if (typeof description !== 'string') return ''
  const [paragraph = ''] = description.replaceAll('`', '').split(/\n\s*\n/)
  const flat = paragraph.replaceAll(/\s+/g, ' ').trim()
  return /^.*?[.:](?= |$)/.exec(flat)?.[0].replace(/:$/, '.') ?? flat
}

/** A value as a person would type it; empty for objects and lists. */
function typed(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
