import type { Kysely } from 'kysely'
import { readWindowLength } from '../catalogue/window-length.ts'
import { counterStore } from '../compose/counter-store.ts'
import { countedLimits } from '../gateway/counters/counted-limits.ts'
import type { BucketWindow } from '../gateway/counters/counter.ts'
import type { CountLine } from '../platform/database/move/export-format.ts'
import { errorText } from '../platform/log/error-text.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { ReportedError } from './command-error.ts'
import type { CommandContext } from './context.ts'

/** The counts of all limits in use, for an export. */
export interface ReadCounts {
  readonly lines: readonly CountLine[]
  /** Why the export has none, although there may be some; undefined when it is complete. */
  readonly missing?: string
  /** Whether it should have had them: the store was to be read and could not be. */
  readonly hasFailed: boolean
}

/** Reads the counts of all limits in use. Never rejects: an export without them is better than none. */
export async function readCounts(
  context: Pick<CommandContext, 'settings' | 'catalogue' | 'now'>,
  db: Kysely<RegistrySchema>,
): Promise<ReadCounts> {
  const settings = context.settings()
  try {
    const store = counterStore(settings)
    if (settings.databaseUrl !== undefined && (await store.isMissing())) {
      const missing =
        'the counts of limits: REDIS_URL is not set, and DATA_DIR has no journal of counters'
      return { lines: [], missing, hasFailed: false }
    }
    const buckets = store.isShared ? await listBuckets(context, db) : []
    const counts = await store.read(buckets)
    const lines = counts.map(({ bucket, windowLength, window, epoch, count }) => ({
      count: { bucket, windowLength: String(windowLength), window, epoch, count },
    }))
    return { lines, hasFailed: false }
  } catch (error) {
    const missing = `the counts of limits: they cannot be read: ${errorText(error)}`
    return { lines: [], missing, hasFailed: true }
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
      applicationId,
      subscriptions: [subscription],
      overrides: [],
      catalogue,
      nowMs: context.now(),
    }).map(({ peeked }) => peeked),
  )
}

/** What became of the counts of an export. */
export interface BroughtCounts {
  readonly done: number
  /** Those that the store has not confirmed. */
  readonly missing: number
  /** Why; empty when none is missing. */
  readonly reason: string
}

/** Brings the counts of an export into the store, which keeps higher ones. Their windows may be over. Never rejects. */
export async function raiseCounts(
  context: Pick<CommandContext, 'settings'>,
  counts: readonly CountLine['count'][],
): Promise<BroughtCounts> {
  const known = counts.flatMap(({ windowLength: word, ...count }) => {
    const windowLength = readWindowLength(word)
    return windowLength === undefined ? [] : [{ ...count, windowLength }]
  })
  // Without counts to carry, creates no journal and contacts no store.
  if (counts.length === 0) return { done: 0, missing: 0, reason: '' }
  const { done, failure } = await counterStore(context.settings()).raise(known)
  const missing = counts.length - done
  if (missing === 0) return { done, missing, reason: '' }
  const reason = failure === undefined ? 'their windows are unknown here' : errorText(failure)
  return { done, missing, reason }
}

/**
 * Says which counts were not brought, and how to bring them.
 *
 * @throws {ReportedError} when some are missing
 */
export function reportMissingCounts(
  { output }: Pick<CommandContext, 'output'>,
  file: string,
  { done, missing, reason }: BroughtCounts,
): void {
  if (missing === 0) return
  output.note(
    `Brought the counts of limits: done ${done}, missing ${missing} (${reason}). Limits whose counts are missing begin at 0. Everything else is done. To bring the counts alone, run: tollgate import --counts-only ${file}`,
  )
  throw new ReportedError()
}
