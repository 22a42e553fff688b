import type { Availability } from './availability.ts'
import { type AvailabilityReport, availabilityReport } from './availability-report.ts'
import { dayOf, daysBetween, startOfQuarter } from './days.ts'
import type { MaintenanceWindow } from './maintenance.ts'
import type { Interface } from './read-slices.ts'

/** What a report covers. Days are calendar days (`2026-10-01`) of `timeZone`. */
export interface ReportOptions {
  readonly availability: Availability
  /** The published API versions: the report has them even if they had no call. */
  readonly published: readonly Interface[]
  /** The first day; undefined: the first day of the quarter that contains `to`. */
  readonly from?: string | undefined
  /** The last day, included in the report; undefined: today. */
  readonly to?: string | undefined
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A report with its days, and the maintenance windows that overlap them. */
export interface DatedReport extends AvailabilityReport {
  readonly from: string
  readonly to: string
  readonly timeZone: string
  readonly maintenance: readonly MaintenanceWindow[]
}

/**
 * Reports availability from what gateways have stored.
 *
 * @throws {RangeError} as {@link daysBetween}
 */
export async function readAvailabilityReport(options: ReportOptions): Promise<DatedReport> {
  const { availability, published, timeZone, now } = options
  const to = options.to ?? dayOf(now, timeZone)
  const from = options.from ?? startOfQuarter(to)
  // Never empty.
  const days = daysBetween(from, to, timeZone)
  const range = { from: new Date(days[0]?.from ?? 0), to: new Date(days.at(-1)?.to ?? 0) }
  const [outages, figures, maintenance] = await Promise.all([
    availability.outages(range),
    availability.figures(range),
    availability.maintenance.list(range),
  ])
  const report = availabilityReport({ days, published, outages, figures, maintenance, now })
  return { from, to, timeZone, ...report, maintenance }
}
