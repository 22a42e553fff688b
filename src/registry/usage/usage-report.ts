import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'

/** What a report has a row for. */
export const reportSubjects = ['application', 'operation', 'version', 'day'] as const
export type ReportSubject = (typeof reportSubjects)[number]

/** The calls of one row. Members that do not belong to the subject are null. */
export interface ReportedUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string | null
  readonly applicationId: string | null
  readonly applicationName: string | null
  readonly developerEmail: string | null
  /** Also null for calls that matched no API version. */
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  readonly allowed: number
  readonly refused: number
  /** The part refused because the calls of a window were used up. */
  readonly refusedByLimit: number
  /** Allowed calls that were answered with 5xx or incompletely. */
  readonly errors: number
  /** Milliseconds, over allowed calls. */
  readonly averageMs: number | null
}

/** Reports of the usage that gateways wrote; days are kept for 400 days. */
export interface UsageReport {
  /**
   * Days are ordered by date, everything else by calls, most first. Deleted
   * applications are in no row.
   *
   * @param options.from the first day, `YYYY-MM-DD`, UTC
   * @param options.to the last day, included
   */
  list(options: {
    readonly from: string
    readonly to: string
    readonly by: ReportSubject
  }): Promise<ReportedUsage[]>
}

const day = sql`to_char(u.at at time zone 'UTC', 'YYYY-MM-DD')`

/** What the rows of each subject are grouped by. */
const groups = {
  application: sql`u.application_id, a.name, d.email`,
  operation: sql`u.api, u.version, u.operation`,
  version: sql`u.api, u.version`,
  day,
} as const

export function createUsageReport({ db }: { db: Kysely<RegistrySchema> }): UsageReport {
  return {
    async list({ from, to, by }) {
      const of = (subjects: readonly ReportSubject[], value: ReturnType<typeof sql>) =>
        subjects.includes(by) ? value : sql`null::text`
      const { rows } = await sql<ReportedUsage>`
        select ${of(['day'], day)} as day,
          ${of(['application'], sql`u.application_id::text`)} as "applicationId",
          ${of(['application'], sql`a.name`)} as "applicationName",
          ${of(['application'], sql`d.email`)} as "developerEmail",
          ${of(['operation', 'version'], sql`nullif(u.api, '')`)} as api,
          ${of(['operation', 'version'], sql`nullif(u.version, '')`)} as version,
          ${of(['operation'], sql`nullif(u.operation, '')`)} as operation,
          sum(u.admitted)::bigint as allowed, sum(u.refused)::bigint as refused,
          sum(u.refused_by_limit)::bigint as "refusedByLimit", sum(u.errors)::bigint as errors,
          round((sum(u.duration_ms_sum) / nullif(sum(u.admitted), 0))::numeric, 1)::float8 as "averageMs"
        from usage_days u
        join applications a on a.id = u.application_id
        join developers d on d.id = a.developer_id
        where u.at >= ${`${from}T00:00:00Z`}::timestamptz
          and u.at < ${`${to}T00:00:00Z`}::timestamptz + interval '1 day'
        group by ${groups[by]}
        order by ${by === 'day' ? sql`day` : sql`sum(u.admitted + u.refused) desc, ${groups[by]}`}`.execute(
        db,
      )
      return rows
    },
  }
}
