// This folder keeps what processes report about themselves. Read this file first: it lists the live processes.
// `configurations.ts` has the order in which configurations became active, `published-configurations.ts` their contents
// for commands that compare files with them, and `count-samples.ts` the counts that `tollgate prove` asks for. Changes
// that processes must follow go through `feed/`.

import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'

/** How a process that admits calls counts them: by itself, or in a store that others share. */
export type Counting = 'alone' | 'shared'

/** What a process says about itself. */
export interface ProcessReport {
  /** UUID, made at the start. */
  readonly id: string
  /** Joined by `+`. */
  readonly roles: string
  readonly host: string
  readonly pid: number
  /** Version of the package. */
  readonly version: string
  readonly generation: number
  readonly digest: string
  /** Reloads that have ended, well or not. */
  readonly judged: number
  /** Why the last reload changed nothing. */
  readonly refused: string | undefined
  /** Undefined: it admits no calls, or no other process can use its database. */
  readonly counts?: Counting | undefined
}

/** A process that was seen within the last fifteen seconds. Times are by the clock of the database. */
export interface LivingProcess extends Omit<ProcessReport, 'refused' | 'counts'> {
  /** When it was entered first. */
  readonly startedAt: Date
  /** When it made its configuration active. */
  readonly loadedAt: Date
  readonly refused: string | null
}

/** A process that ended without a word, or runs and does not reach the database. */
export interface UnseenProcess extends LivingProcess {
  readonly seenAt: Date
}

/** What a process learns when it reports. */
export interface ReportReply {
  /** How often a command asked it to reload. */
  readonly reloadsAsked: number
  /** Actor of the last of these commands. */
  readonly askedBy: string | null
  /** Whether a living process does not share its counters with this one, so that limits may be multiplied. */
  readonly isContested: boolean
}

/** Whether a process may count. */
export interface CountingReply {
  readonly isHeld: boolean
  /** Processes that do not share their counters with it, and were seen within the last fifteen seconds. */
  readonly others: readonly { readonly id: string; readonly seenAt: Date }[]
}

/** The processes that use one database: which run, and which configuration each serves. */
export interface Processes {
  /**
   * Enters a process that counts, unless a living one does not share its
   * counters with it. Claims are decided one at a time.
   */
  claim(report: ProcessReport & { readonly counts: Counting }): Promise<CountingReply>
  /** Enters the process, or what is new about it. */
  report(report: ProcessReport): Promise<ReportReply>
  /** The process lives, and nothing is new about it. */
  touch(id: string): Promise<void>
  /** By role, host and process id. */
  living(): Promise<readonly LivingProcess[]>
  /** Processes that disappeared without reporting their end, for an hour. */
  unseen(): Promise<readonly UnseenProcess[]>
  remove(id: string): Promise<void>
  /** Whether the database has the table: a bank with its own database has none. */
  isThere(): Promise<boolean>
}

/** A process that was not seen for this time has ended without a word, or lost the database. */
export const livingSeconds = 15

/** Rows of processes that ended without a word are kept for this time. */
const keptSeconds = 3_600

export function createProcesses({ db }: { db: Kysely<RegistrySchema> }): Processes {
  const entered = () =>
    db
      .selectFrom('processes')
      .select(['id', 'roles', 'host', 'pid', 'version', 'generation', 'digest'])
      .select(['started_at as startedAt', 'loaded_at as loadedAt', 'judged', 'refused'])
      .orderBy('roles')
      .orderBy('host')
      .orderBy('pid')
  return {
    claim: (report) =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtext('tollgate counting'))`.execute(trx)
        const others = await notSharingCounters(trx, report)
          .select(['other.id', 'other.seen_at as seenAt'])
          .execute()
        const isHeld = others.length === 0
        if (isHeld) await enter(trx, report)
        return { isHeld, others }
      }),

    report: (report) => enter(db, report),

    async touch(id) {
      await db.updateTable('processes').set({ seen_at: sql`now()` }).where('id', '=', id).execute()
    },

    living: () => entered().where('seen_at', '>', secondsAgo(livingSeconds)).execute(),

    unseen: () =>
      entered()
        .select('seen_at as seenAt')
        .where('seen_at', '<=', secondsAgo(livingSeconds))
        .where('seen_at', '>', secondsAgo(keptSeconds))
        // A process id is given again only after the process that had it has ended.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('processes as later')
                .select('later.id')
                .whereRef('later.host', '=', 'processes.host')
                .whereRef('later.pid', '=', 'processes.pid')
                .whereRef('later.started_at', '>', 'processes.seen_at'),
            ),
          ),
        )
        .execute(),

    async remove(id) {
      await db
        .deleteFrom('processes')
        .where((row) => row.or([row('id', '=', id), row('seen_at', '<', secondsAgo(keptSeconds))]))
        .execute()
    },

    async isThere() {
      const { rows } = await sql<{ name: string | null }>`
        select to_regclass('processes')::text as name`.execute(db)
      return rows[0]?.name != null
    },
  }
}

/** Writes the row of a process. */
async function enter(
  db: Kysely<RegistrySchema>,
  { id, roles, host, pid, version, generation, digest, judged, refused, counts }: ProcessReport,
): Promise<ReportReply> {
  const row = { generation, digest, judged, refused: refused ?? null, ...(counts && { counts }) }
  const { reloads_asked, asked_by, isContested } = await db
    .insertInto('processes')
    .values({ ...row, id, roles, host, pid, version })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...row,
        seen_at: sql`now()`,
        loaded_at: sql`case when processes.generation = excluded.generation then processes.loaded_at else now() end`,
      }),
    )
    .returning(['reloads_asked', 'asked_by'])
    .returning(({ exists, lit }) =>
      (counts === undefined
        ? lit(false)
        : exists(notSharingCounters(db, { id, counts }).select(lit(1).as('one')))
      ).as('isContested'),
    )
    .executeTakeFirstOrThrow()
  return { reloadsAsked: reloads_asked, askedBy: asked_by, isContested: isContested === true }
}

/** The living processes that do not share their counters with this one: all that count, or those that count alone. */
function notSharingCounters(
  db: Kysely<RegistrySchema>,
  { id, counts }: { readonly id: string; readonly counts: Counting },
) {
  return db
    .selectFrom('processes as other')
    .where('other.id', '<>', id)
    .where('other.seen_at', '>', secondsAgo(livingSeconds))
    .where('other.counts', 'in', counts === 'alone' ? ['alone', 'shared'] : ['alone'])
}

const secondsAgo = (seconds: number) => sql<Date>`now() - make_interval(secs => ${seconds})`
