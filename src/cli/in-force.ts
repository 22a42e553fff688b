import type { Compared } from '../catalogue/compare-catalogues.ts'
import type { RegistryStores } from '../gateway/registry/stores.ts'

/** What files are compared with. */
export interface InForce extends Compared {
  readonly source: 'published' | 'folder'
  /** When a gateway last began to use it; null: read from a folder. */
  readonly publishedAt: Date | null
  /** What the operator must know about it; absent: nothing. */
  readonly note?: string
}

/** What the gateways have published last; undefined: no gateway of this release has run on this registry within the last 30 days. */
export async function publishedInForce({
  publishedConfigurations,
}: Pick<RegistryStores, 'publishedConfigurations'>): Promise<InForce | undefined> {
  const published = await publishedConfigurations.inForce()
  if (published === undefined) return undefined
  const { versions, plans, publishedAt, isRunning, hasOthers } = published
  const note = !isRunning
    ? `No gateway runs. This compares with what a gateway published last, at ${publishedAt.toISOString()}.`
    : hasOthers
      ? 'Gateways run with different configurations. This compares with the one published last.'
      : undefined
  return { ...{ versions, plans, source: 'published', publishedAt }, ...(note && { note }) }
}
