import type { Compared } from '../catalogue/compare-catalogues.ts'
import type { Stores } from '../portal/stores/stores.ts'

/** What files are compared with. */
export interface InForce extends Compared {
  readonly source: 'published' | 'folder'
  /** When a gateway last began to use it; null: read from a folder. */
  readonly publishedAt: Date | null
  /** What the operator must know about it; absent: nothing. */
  readonly note?: string
}

/** What the gateways have published last; undefined: none of the last 30 days that this release can read. */
export async function publishedInForce({
  publishedConfigurations,
}: Pick<Stores, 'publishedConfigurations'>): Promise<
  InForce | { readonly source: 'none'; readonly note: string }
> {
  const { readable, unreadable } = await publishedConfigurations.inUse()
  const [newest, ...others] = readable
  if (newest === undefined) {
    const note =
      unreadable.length === 0
        ? 'No gateway has noted what it publishes.'
        : 'Only another release can read what the gateways publish.'
    return { source: 'none', note }
  }
  const { versions, plans, publishedAt, isRunning } = newest
  const note = !isRunning
    ? `No gateway runs. This compares with what a gateway published last, at ${publishedAt.toISOString()}.`
    : others.length + unreadable.length > 0
      ? 'Gateways run with different configurations. This compares with the one published last.'
      : undefined
  return { versions, plans, source: 'published', publishedAt, ...(note && { note }) }
}
