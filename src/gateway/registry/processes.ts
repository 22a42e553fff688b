import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'

/** What a process says about itself. */
export interface ProcessReport {
  /** UUID, made at the start. */
  readonly id: string
  /** Joined by `+`. */
  readonly roles: string
  readonly host: string
  readonly pid: number
  /** Of the package. */
  readonly version: string
  readonly generation: number
  readonly digest: string
  /** Reloads that have ended, well or not. */
  readonly judged: number
  /** Why the last reload changed nothing. */
  readonly refused: string | undefined
}

/** A process that was seen within the last fifteen seconds. Times are by the clock of the database. */
export interface LivingProcess extends Omit<ProcessReport, 'refused'> {
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
}

/** The processes that use one database: which run, and which configuration each serves. */
export interface Processes {
  /** Enters the process, or what is new about it. */
  report(report: ProcessReport): Promise<ReportReply>
  /** By role, host and process id. */
  living(): Promise<readonly LivingProcess[]>
  /** Those that are not seen any more and did not say that they end, for an hour. */
  unseen(): Promise<readonly UnseenProcess[]>
  remove(id: string): Promise<void>
  /** Whether the database has the table: a bank with a database of its own has none. */
  isThere(): Promise<boolean>
}

/** A process that was not seen for this time has ended without a word, or lost the database. */
export const livingSeconds = 15

/** Rows of processes that ended without a word are kept for this time. */
const keptSeconds = 3_600

export function createProcesses({ db }: { db: Kysely<RegistrySchema> }): Processes {
  const secondsAgo = (seconds: number) => sql<Date>`now() - make_interval(secs => ${seconds})`
  const entered = () =>
    db
      .selectFrom('processes')
      .select(['id', 'roles', 'host', 'pid', 'version', 'generation', 'digest'])
      .select(['loaded_at as loadedAt', 'judged', 'refused'])
      .orderBy('roles')
      .orderBy('host')
      .orderBy('pid')
  return {
    async report({ id, roles, host, pid, version, generation, digest, judged, refused }) {
      const row = { generation, digest, judged, refused: refused ?? null }
      const { reloads_asked, asked_by } = await db
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
        .executeTakeFirstOrThrow()
      return { reloadsAsked: reloads_asked, askedBy: asked_by }
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
