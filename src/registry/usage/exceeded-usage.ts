import { type Kysely, sql } from 'kysely'
import type { Limit, WindowLength } from '../../catalogue/catalogue.ts'
import { calendarPeriod } from '../../catalogue/window-length.ts'
import type { RegistrySchema } from '../schema.ts'

/** Calls of one application to what one limit counts, beyond that limit. */
export interface ExceededUsage {
  readonly applicationId: string
  /** Null for a limit over the whole version. */
  readonly operation: string | null
  /** Windows in which the limit would have refused calls. */
  readonly windows: number
  /** Calls that were admitted and would have been refused. */
  readonly calls: number
  /** Start of the last of these windows. */
  readonly last: Date
}

export interface ExceededUsageOptions {
  readonly api: string
  readonly version: string
  readonly limit: Pick<Limit, 'calls' | 'windowLength' | 'scope'>
  /** Calls that the window admits, by application, in the place of the limit's own. */
  readonly calls: readonly { readonly applicationId: string; readonly calls: number }[]
  readonly from: Date
  readonly to: Date
}

/** The stored usage that a limit would have refused. */
export interface ExceededUsages {
  /**
   * Compares the admitted calls of each application with what a limit would
   * have admitted.
   *
   * Whole hours fit into windows of hours, days and months, so these counts are
   * the counts of the windows. For a shorter window, the last two days are
   * compared by the minute and the time before by the hour: what exceeds the
   * limits of all windows in an hour together was refused for certain, so the
   * result is the least ({@link isLeast}).
   */
  exceeded(options: ExceededUsageOptions): Promise<ExceededUsage[]>
}

const hour = 3_600
const minute = 60
/** Minutes are kept for 48 hours; the hour that is being deleted is left out. */
const minutesKeptMs = 47 * hour * 1_000

/** Whether the result for these windows is the least, not the exact number. */
export function isLeast(length: WindowLength): boolean {
  return typeof length === 'number' && length % hour !== 0
}

export function createExceededUsages({ db }: { db: Kysely<RegistrySchema> }): ExceededUsages {
  async function within(
    { api, version, limit, calls }: ExceededUsageOptions,
    { table, step, from, to }: Span,
  ): Promise<ExceededUsage[]> {
    const { window, windows } = divisionOf(limit.windowLength, step)
    const counted = limit.scope === 'operation' ? sql`operation` : sql`''`
    const { rows } = await sql<ExceededUsage>`
      with admitting as (
        select * from json_to_recordset(${JSON.stringify(calls)}::json) as a("applicationId" uuid, calls bigint)
      ),
      windows as (
        select application_id, ${counted} as operation, ${window} as window,
          min(at) as at, sum(admitted) as admitted
        from ${sql.table(table)} usage
        where api = ${api} and version = ${version} and operation <> '' and admitted > 0
          and at >= ${from} and at < ${to}
          and application_id in (select "applicationId" from admitting)
        group by 1, 2, 3
      )
      select application_id as "applicationId", nullif(operation, '') as operation, count(*)::int as windows,
        sum(admitted - calls * ${windows}::bigint)::bigint as calls, max(at) as last
      from windows join admitting on "applicationId" = application_id
      where admitted > calls * ${windows}::bigint
      group by 1, 2`.execute(db)
    return rows
  }

  return {
    async exceeded(options) {
      const { limit, from, to } = options
      const hours = { table: 'usage_hours', step: hour, from, to } as const
      if (!isLeast(limit.windowLength)) return within(options, hours)
      const kept = Math.ceil((to.getTime() - minutesKeptMs) / (hour * 1_000)) * hour * 1_000
      const split = new Date(Math.max(from.getTime(), kept))
      const minutes = { table: 'usage_minutes', step: minute, from: split, to } as const
      const parts = [
        ...(await within(options, { ...hours, to: split })),
        ...(await within(options, minutes)),
      ]
      return sumsOf(parts)
    },
  }
}

/** The part of a range that one table has. */
interface Span {
  readonly table: 'usage_minutes' | 'usage_hours'
  /** Seconds. */
  readonly step: number
  readonly from: Date
  readonly to: Date
}

/**
 * How stored steps go into windows: the window of a step, and how many windows
 * it may touch. A step that is not part of one window counts on its own.
 */
function divisionOf(length: WindowLength, step: number) {
  if (typeof length !== 'number') {
    const { unit, timeZone } = calendarPeriod(length)
    const start = sql`date_trunc(${sql.lit(unit)}, at, ${timeZone})`
    return { window: sql`extract(epoch from ${start})`, windows: 1 }
  }
  const seconds = sql`extract(epoch from at)`
  if (length % step === 0)
    return { window: sql`floor(${seconds} / ${sql.lit(length)})`, windows: 1 }
  const windows = step % length === 0 ? step / length : Math.ceil(step / length) + 1
  return { window: seconds, windows }
}

function sumsOf(parts: readonly ExceededUsage[]): ExceededUsage[] {
  const sums = new Map<string, ExceededUsage>()
  for (const part of parts) {
    const name = `${part.applicationId} ${part.operation}`
    const { windows, calls, last } = sums.get(name) ?? { windows: 0, calls: 0, last: part.last }
    sums.set(name, {
      ...part,
      windows: part.windows + windows,
      calls: part.calls + calls,
      last: part.last > last ? part.last : last,
    })
  }
  return [...sums.values()]
}
