import type { ApiVersion, Catalogue } from '../../../catalogue/catalogue.ts'
import { sampleFlows } from '../documents/sample-flows.ts'
import { operationsShown } from './expand-guide.ts'
import { type GuideName, type GuideSource, readGuideSources } from './guide-sources.ts'

/** What a guide shows and the version that it is about lacks. */
export interface GuideGap {
  readonly guide: GuideName
  /** For example `xs2a 1.7.0`. */
  readonly version: string
  readonly operationId: string
  /** Without the operation, the guide is not published; without a sample, only that place stays empty. */
  readonly lacks: 'operation' | 'sample'
}

/** Finds what the guides of a catalogue lack. A guide about a version that is not published at all is no gap. */
export function guideGaps({ versions }: Catalogue): readonly GuideGap[] {
  return readGuideSources().flatMap((source) => {
    const published = versions.get(source.versionKey ?? '')
    return published === undefined ? [] : gapsOf(source, published)
  })
}

/** Finds what one guide lacks of its version. */
export function gapsOf(source: GuideSource, published: ApiVersion): readonly GuideGap[] {
  const { document, operations, api, version } = published
  const flows = sampleFlows(document, operations)
  const sampled = new Set(flows.flatMap(({ steps }) => steps.map(({ operation }) => operation.id)))
  return operationsShown(source.texts.en)
    .filter((id) => !sampled.has(id))
    .map((operationId) => ({
      guide: source.name,
      version: `${api} ${version}`,
      operationId,
      lacks: operations.some(({ id }) => id === operationId) ? 'sample' : 'operation',
    }))
}
