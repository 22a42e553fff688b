import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'
import {
  type ApplicationLimits,
  type LimitsRow,
  limitsColumns,
  readLimits,
} from './application-limits.ts'

/** An application that calls, with its owner. */
export interface Caller {
  readonly applicationId: string
  readonly applicationName: string
  readonly developerEmail: string
}

/** How many calls an application made in a period. */
export interface CallerFigures extends Caller {
  readonly admitted: number
  readonly refused: number
  /** Admitted calls that were answered with 5xx or incompletely. */
  readonly errors: number
}

/** Counts by minute for an hour, by hour for a day: both are kept for longer. */
export type FiguresSpan = 'hour' | 'day'

/** Figures of single applications, from the usage that gateways wrote. */
export interface ApplicationFigures {
  /** Applications with calls in the last hour, or in the last 24 hours, most calls first. */
  topCallers(span: FiguresSpan, max: number): Promise<CallerFigures[]>
  /** For applications that are not suspended, in no order. */
  limitsOf(
    applicationIds: readonly string[],
  ): Promise<(ApplicationLimits & { readonly applicationId: string })[]>
}

export interface ApplicationFiguresOptions {
  readonly db: Kysely<PortalSchema>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const spans = {
  hour: { table: 'usage_minutes', ms: 3_600_000, stepMs: 60_000 },
  day: { table: 'usage_hours', ms: 86_400_000, stepMs: 3_600_000 },
} as const

export function createApplicationFigures({
  db,
  now,
}: ApplicationFiguresOptions): ApplicationFigures {
  return {
    async topCallers(span, max) {
      const { table, ms, stepMs } = spans[span]
      // The present step is not over, so the span has one whole step less.
      const from = new Date(Math.floor(now() / stepMs) * stepMs - ms + stepMs)
      const { rows } = await sql<CallerFigures>`
        select a.id as "applicationId", a.name as "applicationName", d.email as "developerEmail",
          c.admitted, c.refused, c.errors
        from (
          select application_id, sum(admitted)::bigint as admitted, sum(refused)::bigint as refused,
            sum(errors)::bigint as errors
          from ${sql.table(table)} where at >= ${from}
          group by application_id
          order by sum(admitted + refused) desc, application_id limit ${max}
        ) c
        join applications a on a.id = c.application_id
        join developers d on d.id = a.developer_id
        order by c.admitted + c.refused desc, a.id`.execute(db)
      return rows
    },

    async limitsOf(applicationIds) {
      const { rows } = await sql<LimitsRow & { readonly applicationId: string }>`
        select a.id as "applicationId", ${limitsColumns('a.id')}
        from applications a join developers d on d.id = a.developer_id
        where a.id = any(${applicationIds}::uuid[]) and a.suspended_at is null and d.suspended_at is null`.execute(
        db,
      )
      return rows.map(readLimits)
    },
  }
}
