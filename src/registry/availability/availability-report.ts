import type { InterfaceFigures, InterfaceOutage } from './availability.ts'
import { type Day, quarterOf } from './days.ts'
import type { MaintenanceWindow } from './maintenance.ts'
import type { Psd2Service } from './psd2-service.ts'
import type { Interface } from './read-slices.ts'

/**
 * The indicators of EBA/GL/2018/07, Guideline 2, for one API version and
 * period. Percentages are of the period, as far as it has passed.
 */
export interface Indicators extends Interface {
  /** A day (`2026-11-24`) or a quarter (`2026-Q4`). */
  readonly period: string
  readonly uptimePercent: number
  readonly downtimeSeconds: number
  /** Downtime in announced maintenance. */
  readonly plannedSeconds: number
  readonly unplannedSeconds: number
  readonly requests: number
  readonly errors: number
  /** Null without requests. */
  readonly errorPercent: number | null
  /** Average times of answers, from the arrival of the request; null without answers. */
  readonly firstByteMs: number | null
  readonly lastByteMs: number | null
  /** Average time to the last byte by service: account information, payment initiation, availability of funds. */
  readonly aisMs: number | null
  readonly pisMs: number | null
  readonly cbpiiMs: number | null
}

export interface AvailabilityReport {
  readonly days: readonly Indicators[]
  readonly quarters: readonly Indicators[]
  readonly outages: readonly ReportedOutage[]
}

/** An outage, and its planned part. */
export type ReportedOutage = InterfaceOutage & {
  /** Until now, if it is not over. */
  readonly seconds: number
  readonly plannedSeconds: number
}

export interface ReportInput {
  /** Consecutive. */
  readonly days: readonly Day[]
  /** Further API versions to report, even without a call. */
  readonly published: readonly Interface[]
  readonly outages: readonly InterfaceOutage[]
  readonly figures: readonly InterfaceFigures[]
  readonly maintenance: readonly MaintenanceWindow[]
  /** Milliseconds since 1970: later nothing is known. */
  readonly now: number
}

/** Makes the report. Outages that overlap count once. */
export function availabilityReport(input: ReportInput): AvailabilityReport {
  const { outages, figures, maintenance, now, published } = input
  const days = input.days.filter((day) => day.from < now)
  const quarters = Map.groupBy(days, quarterOf)
  const interfaces = interfacesOf([...published, ...outages, ...figures])
  const rowsOf = (period: string, inPeriod: readonly Day[]) =>
    interfaces.map((one) => {
      const down = outages.filter((outage) => isOf(one, outage))
      const planned = maintenance.filter((window) => concerns(window, one))
      return indicatorsOf(one, period, {
        spans: inPeriod.map(({ from, to }) => ({ from, to: Math.min(to, now) })),
        down: union(down.map((outage) => spanOf(outage, now))),
        planned: union(planned.map(plannedSpan)),
        figures: figures.filter((row) => isOf(one, row)),
      })
    })
  return {
    days: days.flatMap((day) => rowsOf(day.name, [day])),
    quarters: [...quarters].flatMap(([name, inQuarter]) => rowsOf(name, inQuarter)),
    outages: outages.map((outage) => {
      const span = [spanOf(outage, now)]
      const planned = union(
        maintenance.filter((window) => concerns(window, outage)).map(plannedSpan),
      )
      return {
        ...outage,
        seconds: seconds(lengthOf(span)),
        plannedSeconds: seconds(lengthOf(intersection(span, planned))),
      }
    }),
  }
}

interface Span {
  readonly from: number
  readonly to: number
}

interface PeriodFacts {
  readonly spans: readonly Span[]
  readonly down: readonly Span[]
  readonly planned: readonly Span[]
  readonly figures: readonly InterfaceFigures[]
}

function indicatorsOf(
  { api, version }: Interface,
  period: string,
  { spans, down, planned, figures }: PeriodFacts,
): Indicators {
  const downIn = intersection(down, spans)
  const downMs = lengthOf(downIn)
  const plannedMs = lengthOf(intersection(downIn, planned))
  const rows = figures.filter(({ at }) =>
    spans.some(({ from, to }) => at.getTime() >= from && at.getTime() < to),
  )
  const sum = (of: (row: InterfaceFigures) => number) =>
    rows.reduce((total, row) => total + of(row), 0)
  const requests = sum((row) => row.requests)
  const errors = sum((row) => row.errors)
  const answers = sum((row) => row.answers)
  return {
    period,
    api,
    version,
    uptimePercent: rounded(100 - (100 * downMs) / lengthOf(spans), 5),
    downtimeSeconds: seconds(downMs),
    plannedSeconds: seconds(plannedMs),
    unplannedSeconds: seconds(downMs - plannedMs),
    requests,
    errors,
    errorPercent: requests === 0 ? null : rounded((100 * errors) / requests, 5),
    firstByteMs: average(
      sum((row) => row.firstByteMsSum),
      answers,
    ),
    lastByteMs: average(
      sum((row) => row.lastByteMsSum),
      answers,
    ),
    aisMs: lastByteOf(rows, 'AIS'),
    pisMs: lastByteOf(rows, 'PIS'),
    cbpiiMs: lastByteOf(rows, 'CBPII'),
  }
}

function lastByteOf(rows: readonly InterfaceFigures[], service: Psd2Service): number | null {
  const ofService = rows.filter((row) => row.service === service)
  return average(
    ofService.reduce((total, row) => total + row.lastByteMsSum, 0),
    ofService.reduce((total, row) => total + row.answers, 0),
  )
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count, 1)
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

function seconds(ms: number): number {
  return ms / 1_000
}

function isOf(one: Interface, other: Interface): boolean {
  return one.api === other.api && one.version === other.version
}

function concerns(window: MaintenanceWindow, { api, version }: Interface): boolean {
  return (window.api ?? api) === api && (window.version ?? version) === version
}

/** Each once, by name and version. */
function interfacesOf(all: readonly Interface[]): Interface[] {
  const known = new Map(all.map(({ api, version }) => [`${api} ${version}`, { api, version }]))
  const byNumber = new Intl.Collator('en', { numeric: true })
  return [...known]
    .sort(([one], [other]) => byNumber.compare(one, other))
    .map(([, { api, version }]) => ({ api, version }))
}

function spanOf({ from, until }: InterfaceOutage, now: number): Span {
  return { from, to: Math.max(from, Math.min(until ?? now, now)) }
}

/** A window that was announced late counts from its announcement. */
function plannedSpan({ from, until, announcedAt }: MaintenanceWindow): Span {
  const start = Math.max(from.getTime(), announcedAt.getTime())
  return { from: start, to: Math.max(start, until.getTime()) }
}

/** Spans without overlaps, ascending. */
function union(spans: readonly Span[]): Span[] {
  const joined: { from: number; to: number }[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/** The intersection of two lists without overlaps. */
function intersection(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const from = Math.max(one.from, other.from)
      const to = Math.min(one.to, other.to)
      return from < to ? [{ from, to }] : []
    }),
  )
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0)
}
