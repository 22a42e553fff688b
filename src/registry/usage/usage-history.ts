// This folder reads the calls that gateways recorded. This file sums them up by minute, hour or day, `usage-report.ts`
// makes reports for operators, and `call-records.ts` lists single calls. `exceeded-usage.ts` and `rehearsed-usage.ts`
// say what a limit would have rejected, and `duration-buckets.ts` how durations are counted. `keep-records.ts` deletes
// old counts, records and keys. The writers are in `gateway/operate/usage/` and `gateway/operate/calls/`.

import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import { durationBuckets } from './duration-buckets.ts'

export type UsageStep = 'minute' | 'hour' | 'day'

/** Totals of the calls in a period. */
export interface UsageSums {
  readonly admitted: number
  /** Refused by the gateway, for any reason. */
  readonly refused: number
  /** The part refused because the calls of a window were used up. */
  readonly refusedByLimit: number
  /** Admitted, and answered with 5xx or incompletely. */
  readonly errors: number
  /** Admitted, and answered with 4xx by the backend. */
  readonly clientErrors: number
  /** Milliseconds, over admitted calls; null without such calls. */
  readonly averageMs: number | null
  readonly maxMs: number | null
  /** Admitted calls by bucket of `duration-buckets.ts`, as far as they were counted so. */
  readonly durations: readonly number[]
  /** All calls by what was answered, as far as they were counted so. */
  readonly answered: AnsweredCalls
}

/** Numbers of calls by the class of their status. */
export interface AnsweredCalls {
  readonly '2xx': number
  readonly '3xx': number
  /** Without 429. */
  readonly '4xx': number
  readonly '429': number
  readonly '5xx': number
  /** The connection ended first. */
  readonly none: number
}

/** An operation as far as it was known when the call was answered. */
export interface UsedOperation {
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
}

/** Steps that begin in `[from, to)`. */
export interface UsageRange {
  readonly applicationId: string
  readonly step: UsageStep
  readonly from: Date
  readonly to: Date
  /** Only calls to this operation, in any version. */
  readonly operation?: string | undefined
}

/** Numbers of calls, a few seconds behind. Steps and operations without calls are missing. */
export interface UsageHistory {
  /** Oldest first. */
  bySteps(range: UsageRange): Promise<(UsageSums & { readonly at: Date })[]>
  /** Ordered by name. */
  byOperations(range: UsageRange): Promise<(UsageSums & UsedOperation)[]>
  /** Oldest first, then ordered by name. */
  byStepsAndOperations(
    range: UsageRange,
  ): Promise<(UsageSums & UsedOperation & { readonly at: Date })[]>
}

const tables = { minute: 'usage_minutes', hour: 'usage_hours', day: 'usage_days' } as const

const sums = sql`
  sum(admitted)::bigint as admitted, sum(refused)::bigint as refused,
  sum(refused_by_limit)::bigint as "refusedByLimit", sum(errors)::bigint as errors,
  sum(client_errors)::bigint as "clientErrors",
  sum(duration_ms_sum) / nullif(sum(admitted), 0)::float8 as "averageMs",
  case when sum(admitted) > 0 then max(duration_ms_max) end as "maxMs",
  array[${sql.raw(
    Array.from(
      { length: durationBuckets },
      (_, at) => `coalesce(sum(durations[${at + 1}]), 0)::float8`,
    ).join(', '),
  )}] as durations,
  json_build_object(
    '2xx', sum(answered_2xx), '3xx', sum(answered_3xx), '4xx', sum(answered_4xx), '429', sum(answered_429),
    '5xx', sum(answered_5xx), 'none', sum(unanswered)
  ) as answered`
const subject = sql`
  nullif(api, '') as api, nullif(version, '') as version, nullif(operation, '') as operation`

/** Reads what the gateways have written; works while no gateway runs. */
export function createUsageHistory({ db }: { db: Kysely<RegistrySchema> }): UsageHistory {
  function among({ applicationId, step, from, to, operation }: UsageRange) {
    return sql`from ${sql.table(tables[step])} usage
      where application_id = ${applicationId} and at >= ${from} and at < ${to}
        ${operation === undefined ? sql`` : sql`and operation = ${operation}`}`
  }

  return {
    async bySteps(range) {
      const { rows } = await sql<UsageSums & { at: Date }>`
        select at, ${sums} ${among(range)} group by at order by at`.execute(db)
      return rows
    },

    async byOperations(range) {
      const { rows } = await sql<UsageSums & UsedOperation>`
        select ${subject}, ${sums} ${among(range)}
        group by usage.api, usage.version, usage.operation
        order by usage.api, usage.version, usage.operation`.execute(db)
      return rows
    },

    async byStepsAndOperations(range) {
      const { rows } = await sql<UsageSums & UsedOperation & { at: Date }>`
        select at, ${subject}, ${sums} ${among(range)}
        group by at, usage.api, usage.version, usage.operation
        order by at, usage.api, usage.version, usage.operation`.execute(db)
      return rows
    },
  }
}
