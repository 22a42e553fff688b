import type { JsonObject } from '../../catalogue/catalogue.ts'
import { operationObject, type Parameter } from '../../catalogue/documents/operation-object.ts'
import { type Located, member, membersOf } from '../../catalogue/documents/reference.ts'
import type {
  SampleCall,
  SampleField,
  SamplePart,
  SampleText,
  SampleValue,
} from '../samples/sample-call.ts'
import { sampleValue } from '../samples/sample-value.ts'
import type { SampleFlow, SampleStep } from './sample-flows.ts'

export interface SampleOptions {
  readonly document: JsonObject
  /** Origin of the gateway. */
  readonly gatewayUrl: string
  readonly flow: SampleFlow
  /** From 0. */
  readonly index: number
}

/**
 * Makes the sample of one step of a flow: all that the operation requires, with
 * the examples of the document, and ids as variables that earlier steps give.
 */
export function sampleOfStep({ document, gatewayUrl, flow, index }: SampleOptions): SampleCall {
  const step = flow.steps[index]
  if (step === undefined) throw new Error(`the flow has no step ${index}`)
  const { operation, sends } = step
  const described = operationObject(document, operation.template, operation.method)
  if (described === undefined) throw new Error(`the document does not have ${operation.id}`)
  const sent = described.parameters.filter(
    ({ name, isRequired }) => isRequired || sends.includes(name),
  )
  const givers = flow.steps.slice(0, index)
  const textOf = (parameter: Parameter): SampleText => {
    if (parameter.name === 'X-Request-ID') return [{ fresh: 'uuid' }]
    const variable = variableName(parameter.name)
    const isGiven = givers.some(({ gives }) => gives.has(variable))
    return [isGiven ? { variable } : exampleOf(document, parameter)]
  }
  const headers = sent
    .filter((parameter) => parameter.in === 'header')
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map((parameter): SampleField => [parameter.name, textOf(parameter)])
  const [examples, bodies] = bodiesOf(document, step, described.requestBody)
  return {
    method: operation.method,
    url: urlOf(gatewayUrl, operation.path, sent, textOf),
    headers: [['X-API-Key', [{ variable: 'API_KEY' }]], ...headers],
    bodies,
    before: [
      `${flow.title}, step ${index + 1} of ${flow.steps.length}`,
      ...needs(sent, givers),
      ...(bodies.length > 1
        ? [
            'Sends these one after another:',
            ...examples.map((example, number) => `${number + 1}. ${example}`),
          ]
        : []),
    ],
    after: gifts(step),
  }
}

/** `Consent-ID` and `consentId` are both `CONSENT_ID`. */
function variableName(parameter: string): string {
  return parameter
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
}

/** Where each variable of the call comes from: the last step before it that gives it. */
function needs(sent: readonly Parameter[], givers: readonly SampleStep[]): readonly string[] {
  const variables = new Set(sent.map(({ name }) => variableName(name)))
  return [...variables].flatMap((variable) => {
    const index = givers.findLastIndex(({ gives }) => gives.has(variable))
    const pointer = givers[index]?.gives.get(variable)
    if (pointer === undefined) return []
    return [`${variable}: from the response to step ${index + 1}, ${placeInAnswer(pointer)}`]
  })
}

function gifts({ gives }: SampleStep): readonly string[] {
  if (gives.size === 0) return []
  const lines = [...gives].map(
    ([variable, pointer]) => `export ${variable}=…  (${placeInAnswer(pointer)})`,
  )
  return ['From this response, for the next steps:', ...lines]
}

/**
 * `/_links/status/href` reads "the last part of _links.status.href";
 * `/accounts/0/resourceId` reads "accounts[0].resourceId".
 */
function placeInAnswer(pointer: string): string {
  const place = pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  return pointer.endsWith('/href') ? `the last part of ${place}` : place
}

function urlOf(
  gatewayUrl: string,
  path: string,
  sent: readonly Parameter[],
  textOf: (parameter: Parameter) => SampleText,
): SampleText {
  const encoded = (parameter: Parameter): SampleText =>
    textOf(parameter).map((part) => (typeof part === 'string' ? encodeURIComponent(part) : part))
  const parts: SamplePart[] = [gatewayUrl]
  for (const segment of path.split('/').slice(1)) {
    const parameter = sent.find(
      ({ in: place, name }) => place === 'path' && segment === `{${name}}`,
    )
    parts.push('/', ...(parameter === undefined ? [segment] : encoded(parameter)))
  }
  const query = sent.filter(({ in: place }) => place === 'query')
  for (const [position, parameter] of query.entries()) {
    parts.push(`${position === 0 ? '?' : '&'}${parameter.name}=`, ...encoded(parameter))
  }
  return parts
}

function exampleOf(document: JsonObject, { object }: Parameter): string {
  const [first] = membersOf(document, object, 'examples')
  const example = object.value['example'] ?? first?.[1].value['value']
  return typeof example === 'object' || example === undefined ? '' : String(example)
}

/** The bodies of a step and what their examples are called. */
function bodiesOf(
  document: JsonObject,
  { bodies, fresh }: SampleStep,
  requestBody: Located | undefined,
): readonly [summaries: readonly string[], values: readonly SampleValue[]] {
  const content = requestBody && member(document, requestBody, 'content', 'application/json')
  if (content === undefined) return [[], []]
  const examples = membersOf(document, content, 'examples')
  const wanted = bodies.length === 0 ? examples.slice(0, 1).map(([name]) => name) : bodies
  const chosen = wanted.flatMap((name) => examples.filter((example) => example[0] === name))
  return [
    chosen.map(([name, { value }]) =>
      typeof value['summary'] === 'string' ? value['summary'] : name,
    ),
    chosen.map(([, { value }]) => sampleValue(value['value'] ?? null, fresh)),
  ]
}
