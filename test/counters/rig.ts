import { pino } from 'pino'
import type { OutagePolicy } from '../../src/catalogue/catalogue.ts'
import type { BucketLimit, Counter, Grant } from '../../src/gateway/counters/counter.ts'
import type { Division } from '../../src/gateway/counters/redis/local-shares.ts'

/** Discards everything. */
export const silent = pino({ level: 'silent' })

/** Long enough that no test meets its end: a calendar-free year. */
export const longWindowSeconds = 31_536_000

/** The deadline of calls in tests that are not about an outage: a busy machine must not look like one. */
export const patientMs = 60_000

/** A process without others. */
export const alone: Division = {
  processes: () => 1,
  place: () => undefined,
  placesVersion: () => 0,
  isCutOff: () => true,
}

/** A bucket of its own for a test, in a window that does not end meanwhile. */
export function bucketOf(name: string, windowLength = longWindowSeconds) {
  return { bucket: `tollgate:{app}:xs2a:1.7.0:${name}:${windowLength}`, windowLength }
}

/** One call on the limits. */
export function ask(
  counter: Counter,
  limits: readonly BucketLimit[],
  onOutage: OutagePolicy = 'local-share',
): Promise<Grant> {
  return new Promise((resolve) => counter.grant(limits, onOutage, resolve))
}

/** This number of concurrent calls. */
export function askTimes(
  times: number,
  counter: Counter,
  limits: readonly BucketLimit[],
  onOutage?: OutagePolicy,
): Promise<Grant[]> {
  return Promise.all(Array.from({ length: times }, () => ask(counter, limits, onOutage)))
}

/** What the admitted calls were told is left, highest first. */
export function remainingOf(grants: readonly Grant[]): number[] {
  return grants
    .filter(({ admitted }) => admitted)
    .map(({ standings }) => standings[0]?.remaining ?? Number.NaN)
    .toSorted((a, b) => b - a)
}

/** `[from, from - 1, …, 0]`. */
export function countdown(from: number): number[] {
  return Array.from({ length: from + 1 }, (_, index) => from - index)
}

export function admittedOf(grants: readonly Grant[]): number {
  return grants.filter(({ admitted }) => admitted).length
}
