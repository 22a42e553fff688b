import type { Availability } from './availability.ts'
import { type AvailabilityReport, availabilityReport } from './availability-report.ts'
import { dayOf, daysBetween, startOfQuarter } from './days.ts'
import type { MaintenanceWindow } from './maintenance.ts'
import type { Interface } from './read-slices.ts'

export interface ReportOptions {
  readonly availability: Availability
  /** API versions that are published: they are in the report without a call, too. */
  readonly published: readonly Interface[]
  /** The first day (`2026-10-01`); undefined: of the quarter of the last. */
  readonly from?: string | undefined
  /** The last day, included; undefined: today. */
  readonly to?: string | undefined
  readonly timeZone: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface DatedReport extends AvailabilityReport {
  readonly from: string
  readonly to: string
  readonly timeZone: string
  readonly maintenance: readonly MaintenanceWindow[]
}

/** Reads what gateways stored and reports it. @throws {RangeError} as `daysBetween` */
export async function readAvailabilityReport(options: ReportOptions): Promise<DatedReport> {
  const { availability, published, timeZone, now } = options
  const to = options.to ?? dayOf(now, timeZone)
  const from = options.from ?? startOfQuarter(to)
  const days = daysBetween(from, to, timeZone)
  const range = { from: new Date(days[0]?.from ?? 0), to: new Date(days.at(-1)?.to ?? 0) }
  const [outages, figures, maintenance] = await Promise.all([
    availability.outages(range),
    availability.figures(range),
    availability.maintenance.list(range),
  ])
  const report = availabilityReport({
    days,
    published,
    outages,
    figures,
    now,
    windows: maintenance,
  })
  return { from, to, timeZone, ...report, maintenance }
}
