import type { Kysely } from 'kysely'
import { readWindowLength } from '../catalogue/window-length.ts'
import { counterStore } from '../compose/counter-store.ts'
import { countedLimits } from '../gateway/counters/counted-limits.ts'
import type { BucketWindow } from '../gateway/counters/counter.ts'
import type { RegistrySchema } from '../gateway/registry/schema.ts'
import { errorText } from '../platform/error-text.ts'
import type { CountLine } from '../platform/move/export-format.ts'
import type { CommandContext } from './context.ts'

/**
 * The counts of all limits in use, for an export. Where the store or the
 * configuration cannot be read, the export has none, and says so.
 */
export async function readCounts(
  context: Pick<CommandContext, 'settings' | 'catalogue' | 'output' | 'now'>,
  db: Kysely<RegistrySchema>,
): Promise<readonly CountLine[]> {
  const store = counterStore(context.settings())
  try {
    const buckets = store.isShared ? await listBuckets(context, db) : []
    const counts = await store.read(buckets)
    return counts.map(({ bucket, windowLength, window, epoch, count }) => ({
      count: { bucket, windowLength: String(windowLength), window, epoch, count },
    }))
  } catch (error) {
    context.output.note(
      `The counts of limits are not in it, because they cannot be read: ${errorText(error)}`,
    )
    return []
  }
}

async function listBuckets(
  context: Pick<CommandContext, 'catalogue' | 'now'>,
  db: Kysely<RegistrySchema>,
): Promise<readonly BucketWindow[]> {
  const catalogue = await context.catalogue()
  const subscriptions = await db
    .selectFrom('subscriptions')
    .select(['application_id', 'api', 'version', 'plan'])
    .where('ended_at', 'is', null)
    .execute()
  // An override changes what a limit holds, never where it is counted.
  return subscriptions.flatMap(({ application_id: applicationId, ...subscription }) =>
    countedLimits({
      ...{ applicationId, subscriptions: [subscription], overrides: [], catalogue },
      nowMs: context.now(),
    }).map(({ peeked }) => peeked),
  )
}

/** Brings the counts of an export into the store, which keeps higher ones. Their windows may be over. */
export async function raiseCounts(
  context: Pick<CommandContext, 'settings' | 'output'>,
  counts: readonly CountLine['count'][],
): Promise<void> {
  const known = counts.flatMap(({ windowLength: word, ...count }) => {
    const windowLength = readWindowLength(word)
    return windowLength === undefined ? [] : [{ ...count, windowLength }]
  })
  try {
    await counterStore(context.settings()).raise(known)
  } catch (error) {
    context.output.note(
      `The counts of ${known.length} limits were not brought, so these limits begin at 0: ${errorText(error)}`,
    )
  }
}
