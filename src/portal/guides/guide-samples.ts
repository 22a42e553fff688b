import type { ApiVersion, OpenApiDocument, Operation } from '../../catalogue/catalogue.ts'
import { type SampleFlow, sampleFlows } from '../documents/sample-flows.ts'
import { sampleOfStep } from '../documents/sample-of-step.ts'
import { samplesOf } from '../samples/sample-languages.ts'

/** An operation's sample in a guide, in every language. */
export interface GuideSample {
  readonly operation: Operation
  readonly samples: ReturnType<typeof samplesOf>
}

export interface GuideSamplesOptions {
  readonly published: ApiVersion
  /** The document of the version as developers get it. */
  readonly document: OpenApiDocument
  /** Origin of the gateway, as developers call it. */
  readonly gatewayUrl: string
  /** Title of the guide, as the samples' comments show it. */
  readonly title: string
  /** Operations that the guide shows, in order. */
  readonly operationIds: readonly string[]
}

/**
 * Makes the samples of a guide as one flow: each names the earlier step that gives its ids. Leaves out operations without
 * a sample; `guide-gaps.ts` lists them.
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
    return { operation, samples: samplesOf(sample) }
  })
}
