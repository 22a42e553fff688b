import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/operation-object.ts'
import { member, membersOf } from '../../catalogue/reference.ts'
import { type SampleFlow, sampleFlows } from '../documents/sample-flows.ts'
import { sampleOfStep } from '../documents/sample-of-step.ts'
import { sampleLanguages } from '../samples/sample-languages.ts'

/** An operation's sample in a guide, in every language. */
export interface GuideSample {
  readonly operation: Operation
  readonly samples: readonly {
    readonly lang: string
    readonly label: string
    readonly source: string
  }[]
}

export interface GuideSamplesOptions {
  readonly published: ApiVersion
  /** The document of the version as developers get it. */
  readonly document: ApiVersion['document']
  /** Origin of the gateway, as developers call it. */
  readonly gatewayUrl: string
  /** What the comments of its samples call the guide. */
  readonly title: string
  /** Operations that the guide shows, in order. */
  readonly operationIds: readonly string[]
}

/**
 * Makes the samples of a guide. They are one flow: each names the step before it that gives the ids it needs.
 * An operation that the version has no sample of is left out; `guide-gaps.ts` says which these are.
 */
export function guideSamples(options: GuideSamplesOptions): readonly GuideSample[] {
  const { published, document, gatewayUrl, title, operationIds } = options
  const known = sampleFlows(document, published.operations).flatMap(({ steps }) => steps)
  const steps = operationIds.flatMap(
    (id) => known.find(({ operation }) => operation.id === id) ?? [],
  )
  const flow: SampleFlow = { title, steps }
  return steps.map(({ operation }, index) => {
    const sample = sampleOfStep({ document, gatewayUrl, flow, index })
    const samples = sampleLanguages.map(({ lang, label, write }) => ({
      lang,
      label,
      source: write(sample),
    }))
    return { operation, samples }
  })
}

/**
 * An example of an operation's first successful response as JSON text; undefined when it has none.
 *
 * @param name of the example; the first one if empty
 */
export function answerExample(
  document: ApiVersion['document'],
  { template, method }: Operation,
  name = '',
): string | undefined {
  const responses = operationObject(document, template, method)?.responses ?? []
  const success = responses.find(([status]) => status.startsWith('2'))
  const content = success && member(document, success[1], 'content', 'application/json')
  if (content === undefined) return undefined
  const named = membersOf(document, content, 'examples')
  const chosen = named.find(([known]) => name === '' || known === name)
  const example = chosen?.[1].value['value'] ?? content.value['example']
  return example === undefined ? undefined : JSON.stringify(example, undefined, 2)
}
