import type { Compared } from '../catalogue/compare-catalogues.ts'
import type { Stores } from '../portal/stores/stores.ts'

/** The configuration that a proposed one is compared with. */
export interface InForce extends Compared {
  readonly source: 'published' | 'folder'
  /** When a gateway began to use it; null: it was read from a folder. */
  readonly publishedAt: Date | null
  /** A sentence that the operator must know; absent: it needs no note. */
  readonly note?: string
}

/** That there is no published configuration to compare with. */
export interface NonePublished {
  readonly source: 'none'
  /** A sentence. */
  readonly reason: string
}

/** Finds what the gateways published last, or says why nothing can be read. */
export async function publishedInForce({
  publishedConfigurations,
}: Pick<Stores, 'publishedConfigurations'>): Promise<InForce | NonePublished> {
  const { readable, unreadable } = await publishedConfigurations.inUse()
  const [newest, ...others] = readable
  if (newest === undefined) {
    const reason =
      unreadable.length === 0
        ? 'No gateway has recorded what it publishes.'
        : 'Only another release can read what the gateways publish.'
    return { source: 'none', reason }
  }
  const { versions, plans, publishedAt, isRunning } = newest
  const inForce = { versions, plans, source: 'published', publishedAt } as const
  if (!isRunning) {
    const at = publishedAt.toISOString()
    const note = `No gateway is running. This compares with what a gateway published last, at ${at}.`
    return { ...inForce, note }
  }
  if (others.length + unreadable.length === 0) return inForce
  const note =
    'The gateways run different configurations. This compares with the one published last.'
  return { ...inForce, note }
}
