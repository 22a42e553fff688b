import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'
import type { CallerFigures } from './application-figures.ts'

/** Outcomes of an application's calls in a period. */
export interface RefusedApplication extends CallerFigures {
  /** The most frequent reason among its latest refused calls; null: no such call is left in the records. */
  readonly code: string | null
}

export interface Refusals {
  /** Applications with refused calls in the last hours, most refusals first, at most 100; counted since `from`. */
  list(options: { hours: number }): Promise<{ from: Date; items: RefusedApplication[] }>
}

const minuteMs = 60_000
const hourMs = 3_600_000
/** Counts per minute are kept for longer than this. */
const minutesHours = 24

export interface RefusalsOptions {
  readonly db: Kysely<PortalSchema>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Reads the usage of all applications: by hour for whole hours, by minute for the time before the first whole hour. */
export function createRefusals({ db, now }: RefusalsOptions): Refusals {
  return {
    async list({ hours }) {
      const nowMs = now()
      const from = floor(nowMs - hours * hourMs, hours > minutesHours ? hourMs : minuteMs)
      const hoursFrom = new Date(Math.ceil(from / hourMs) * hourMs)
      const { rows: items } = await sql<RefusedApplication>`
        select a.id as "applicationId", a.name as "applicationName", d.email as "developerEmail",
          sum(c.admitted)::bigint as admitted, sum(c.refused)::bigint as refused,
          sum(c.errors)::bigint as errors,
          (select r.outcome from call_records r
            where r.application_id = a.id and r.drill is null and r.outcome not in ('forwarded', 'aborted', 'cut')
            group by r.outcome order by count(*) desc, r.outcome limit 1) as code
        from (
          select application_id, admitted, refused, errors from usage_minutes
          where at >= ${new Date(from)} and at < ${hoursFrom}
          union all
          select application_id, admitted, refused, errors from usage_hours
          where at >= ${hoursFrom}
        ) c
        join applications a on a.id = c.application_id
        join developers d on d.id = a.developer_id
        group by a.id, d.id
        having sum(c.refused) > 0
        order by sum(c.refused) desc, a.id
        limit 100`.execute(db)
      return { from: new Date(from), items }
    },
  }
}

/** The beginning of the step, in milliseconds since 1970. */
function floor(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs
}
