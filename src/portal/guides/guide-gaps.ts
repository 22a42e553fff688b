import type { ApiVersion, Catalogue } from '../../catalogue/catalogue.ts'
import { sampleFlows } from '../documents/sample-flows.ts'
import { operationsShown } from './expand-guide.ts'
import { type GuideName, type GuideSource, readGuideSources } from './guide-sources.ts'
import { versionOfGuide, versionsOfGuide } from './guide-version.ts'

/** What a guide shows and the version that it is about lacks. */
export interface GuideGap {
  readonly guide: GuideName
  /** For example `xs2a 1.7.0`. */
  readonly version: string
  readonly operationId: string
  /** Without the operation, the guide is not published; without a sample, only that place stays empty. */
  readonly lacks: 'operation' | 'sample'
}

/** Finds what the guides of a catalogue lack. A guide about an unpublished API is not a gap. */
export function guideGaps(catalogue: Catalogue, nowMs: number): readonly GuideGap[] {
  return readGuideSources().flatMap((source) => {
    const [newest] = versionsOfGuide(source, catalogue, nowMs)
    const published = versionOfGuide(source, catalogue, nowMs) ?? newest
    return published === undefined ? [] : gapsOf(source, published)
  })
}

function gapsOf(source: GuideSource, published: ApiVersion): readonly GuideGap[] {
  const { operations, api, version } = published
  const flows = sampleFlows(published.document.read(), operations)
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
