import { type Kysely, sql, type Transaction } from 'kysely'
import { type ConfigurationSummary, differenceOf } from '../../catalogue/configuration-summary.ts'
import { recordAudit } from '../audit/audit.ts'
import type { RegistrySchema } from '../schema.ts'
import { livingSeconds } from './processes.ts'

/** A configuration that a process serves. */
export interface ServedConfiguration {
  readonly digest: string
  readonly summary: () => ConfigurationSummary
  /** Actor in the audit. */
  readonly by: string
  /** Further facts for the audit. */
  readonly detail: Readonly<Record<string, string>>
}

/**
 * The configurations that were active, in their order. Every process reports
 * what it makes active, and the first one to report a change writes its audit
 * entry. A process is at a place in this order, which it hands in and gets
 * back: so a slow process that reaches a change which others made long ago,
 * and have perhaps undone, finds that change and not a new one.
 */
export interface Configurations {
  /** A reload has brought this configuration to a process. @returns its place now */
  replaced(configuration: ServedConfiguration, place: number): Promise<number>
  /**
   * A process has started with this configuration, or still serves it. One that
   * was active before and that others have left counts as a change only once
   * no process has the newest.
   *
   * @returns its place now
   */
  served(configuration: ServedConfiguration, place: number): Promise<number>
  /** The newest: what it is, and its place. Undefined before the first start. */
  newest(): Promise<{ readonly id: number; readonly digest: string } | undefined>
}

/** The place of a process that has just started. */
export const noPlace = 0

/** Configurations that are kept. */
const keptCount = 200

export function createConfigurations({ db }: { db: Kysely<RegistrySchema> }): Configurations {
  function inTurn(work: (trx: Transaction<RegistrySchema>) => Promise<number>): Promise<number> {
    return db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext('tollgate configurations'))`.execute(trx)
      return work(trx)
    })
  }

  return {
    replaced: (configuration, place) =>
      inTurn(async (trx) => {
        const known = await trx
          .selectFrom('configurations')
          .select('id')
          .where('id', '>', place)
          .where('digest', '=', configuration.digest)
          .orderBy('id')
          .executeTakeFirst()
        return known?.id ?? (await add(trx, configuration))
      }),

    served: (configuration, place) =>
      inTurn(async (trx) => {
        const { digest } = configuration
        const newest = await newestOf(trx)
        if (newest === undefined) return add(trx, configuration)
        if (newest.digest === digest) return newest.id
        const before = await trx
          .selectFrom('configurations')
          .select('id')
          .where('digest', '=', digest)
          .orderBy('id', 'desc')
          .executeTakeFirst()
        if (before === undefined || !(await isServed(trx, newest.digest))) {
          return add(trx, configuration)
        }
        return Math.max(place, before.id)
      }),

    newest: () => newestOf(db),
  }
}

function newestOf(db: Kysely<RegistrySchema>) {
  return db
    .selectFrom('configurations')
    .select(['id', 'digest', 'summary'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function isServed(trx: Transaction<RegistrySchema>, digest: string): Promise<boolean> {
  const row = await trx
    .selectFrom('processes')
    .select('id')
    .where('digest', '=', digest)
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${livingSeconds})`)
    .executeTakeFirst()
  return row !== undefined
}

/** Adds the newest configuration and audits what it changes; the first one changes nothing. */
async function add(
  trx: Transaction<RegistrySchema>,
  { digest, by, detail, ...configuration }: ServedConfiguration,
): Promise<number> {
  const before = await newestOf(trx)
  if (before?.digest === digest) return before.id
  const summary = configuration.summary()
  const { id } = await trx
    .insertInto('configurations')
    .values({ digest, summary: JSON.stringify(summary) })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (before !== undefined) {
    await recordAudit(trx, {
      actor: by,
      action: 'configuration.reload',
      subject: 'configuration:all',
      detail: {
        ...detail,
        from: before.digest.slice(0, 12),
        to: digest.slice(0, 12),
        ...differenceOf(before.summary, summary),
      },
    })
  }
  await trx
    .deleteFrom('configurations')
    .where('id', '<=', id - keptCount)
    .execute()
  return id
}
