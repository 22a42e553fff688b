/** Where in an operation something may differ. */
export const partKinds = [
  'operation',
  'header',
  'query',
  'path',
  'cookie',
  'body',
  'response',
  'responseHeader',
] as const

/** Where in an operation something differs. */
export interface ChangedPart {
  readonly kind: (typeof partKinds)[number]
  /** Status of a response. */
  readonly status?: string
  /** Name of a parameter or a header. */
  readonly name?: string
}

/** One difference, in parts for a page and in English words. */
export interface Change {
  readonly part: ChangedPart
  /** `access.accounts[].iban`, within the part; empty: the part itself. */
  readonly path: string
  readonly verb: ChangeVerb
  /** What the verb's sentence names: rules, numbers, JSON. */
  readonly values: Readonly<Record<string, string>>
  /** `query parameter dateFrom`, `request body`, `response 200 header Location`. */
  readonly where: string
  /** `access.accounts[].iban is required now`. */
  readonly message: string
  /** Whether a caller that keeps to the old version may fail on the new one. Our judgement, on the safe side. */
  readonly isBreaking: boolean
}

/** What happened, by the sentence that describes it. `{name}` is replaced by one of the values. */
const sentences = {
  moved: 'moved from {from} to {to}',
  deprecated: 'is deprecated now',
  undeprecated: 'is no longer deprecated',
  credentials: 'asks for other credentials',
  psd2Role: 'role of the client certificate changed from {from} to {to}',
  removed: 'removed',
  added: 'added',
  addedRequired: 'added, required',
  addedOptional: 'added, optional',
  required: 'is required now',
  optional: 'is optional now',
  alwaysSent: 'is now always sent',
  notAlwaysSent: 'is no longer always sent',
  mediaTypeRemoved: 'media type {type} removed',
  mediaTypeAdded: 'media type {type} added',
  rewritten: '{rule} changed',
  differs: 'is described differently',
  alternatives: 'has {to} alternatives instead of {from}',
  ruleAdded: 'has the new rule {rule} {to}',
  ruleRemoved: 'has lost the rule {rule} {from}',
  ruleChanged: '{rule} changed from {from} to {to}',
} as const

export type ChangeVerb = keyof typeof sentences
/** What can have happened to it. */
// Object.keys returns strings; the keys of a table are its verbs.
export const changeVerbs = Object.keys(sentences) as readonly ChangeVerb[]

export interface ChangeOptions extends Pick<Change, 'part' | 'verb' | 'isBreaking'> {
  readonly path?: string
  readonly values?: Change['values']
}

/** A difference with its English words. */
export function changeOf(options: ChangeOptions): Change {
  const { part, path = '', verb, values = {}, isBreaking } = options
  const said = sentences[verb].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const message = path === '' ? said : `${path} ${said}`
  return { part, path, verb, values, where: whereIs(part), message, isBreaking }
}

function whereIs({ kind, status = '', name = '' }: ChangedPart): string {
  if (kind === 'operation') return kind
  if (kind === 'body') return 'request body'
  if (kind === 'header') return `header ${name}`
  if (kind === 'response') return `response ${status}`
  if (kind === 'responseHeader') return `response ${status} header ${name}`
  return `${kind} parameter ${name}`
}
