import type { ApiVersion, JsonObject } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/documents/operation-object.ts'
import { member, membersOf } from '../../catalogue/documents/reference.ts'
import { isJsonObject } from '../../catalogue/json.ts'
import type { FrontPage } from '../api/schemas/catalogue.ts'
import { writeJson } from '../samples/curl-sample.ts'
import type { SampleCall } from '../samples/sample-call.ts'
import { sampleLanguages } from '../samples/sample-languages.ts'
import { sampleValue } from '../samples/sample-value.ts'
import { sampleVariables } from '../samples/sample-variables.ts'
import { type SampleStep, sampleFlows } from './sample-flows.ts'
import { sampleOfStep } from './sample-of-step.ts'

export interface FrontSampleOptions {
  readonly published: ApiVersion
  /** The document of this version, as served. */
  readonly document: JsonObject
  /** Origin of the gateway, as developers reach it. */
  readonly gatewayUrl: string
}

/**
 * Reads the call that a version shows to newcomers (`x-front-sample`): its
 * sample in every language, and the answers named there, by status, from the
 * examples of the document. Null when the version names none.
 */
export function frontSample(options: FrontSampleOptions): FrontPage['sample'] {
  const { published, document, gatewayUrl } = options
  const named = document['x-front-sample']
  if (!isJsonObject(named)) return null
  const flows = sampleFlows(document, published.operations)
  for (const flow of flows) {
    const index = flow.steps.findIndex(({ operation }) => operation.id === named['operation'])
    const step = flow.steps[index]
    if (step === undefined) continue
    const sample = sampleOfStep({ document, gatewayUrl, flow, index })
    const call = { ...sample, before: origins(sample, flow.steps.slice(0, index)), after: [] }
    const { id: operation, template, method } = step.operation
    const answers = isJsonObject(named['answers']) ? Object.entries(named['answers']) : []
    return {
      api: published.api,
      version: published.version,
      operation,
      samples: sampleLanguages.map(({ label, write }) => ({ label, source: write(call) })),
      answers: answers.flatMap(([status, example]) => {
        const text = answerText({ document, template, method }, status, String(example))
        return text === undefined ? [] : [{ status: Number(status), text }]
      }),
    }
  }
  return null
}

/** Where the variables of a call that stands alone come from. */
function origins(call: SampleCall, givers: readonly SampleStep[]): readonly string[] {
  return sampleVariables(call).flatMap((variable) => {
    const giver = givers.findLast(({ gives }) => gives.has(variable))
    return giver === undefined
      ? []
      : [`${variable}: from the response to "${giver.operation.summary}"`]
  })
}

type Place = { readonly document: JsonObject } & Pick<
  ApiVersion['operations'][number],
  'template' | 'method'
>

/** The example of that name among those of the response, of any media type. */
function answerText(
  { document, template, method }: Place,
  status: string,
  name: string,
): string | undefined {
  const described = operationObject(document, template, method)
  const response = described?.responses.find(([known]) => known === status)?.[1]
  if (response === undefined) return undefined
  for (const [, content] of membersOf(document, response, 'content')) {
    const example = member(document, content, 'examples', name)?.value['value']
    if (example !== undefined) return writeJson(sampleValue(example))
  }
  return undefined
}
