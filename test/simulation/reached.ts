import { type Schedule, type Shape, shapes } from './schedule.ts'
import type { CallRecord, Happened, History } from './simulate.ts'

/** What happens to a bucket: a fault by its kind, with a short pause as `hiccup`; `nothing` in a schedule without any. */
const kinds = [
  ...([
    'nothing',
    'hiccup',
    'crash',
    'stall',
    'set-clock',
    'reset',
    'partition',
    'double',
  ] as const),
  ...(['pause', 'refuse', 'forget-scripts', 'flush', 'restart', 'set-store-clock'] as const),
  ...(['failover', 'move-slot', 'evict', 'operator-reset'] as const),
]
type Kind = (typeof kinds)[number]

/** Whether a call asks for one bucket, in a schedule with only that one or with several, or for several at once. */
const keys = ['one', 'several', 'together'] as const

/** Windows of a few seconds, some of which pass in a schedule, or of an hour. */
const windows = ['short', 'long'] as const

/** Milliseconds before and after what happens in which a call meets it. */
const beforeMs = 100
const afterMs = 1000

/** A fault with a store, or with a key and a window. */
export const classes: readonly string[] = [
  ...shapes.flatMap((shape) =>
    kinds.filter((kind) => isIn(shape, kind)).map((kind) => `${shape} ${kind}`),
  ),
  ...keys.flatMap((key) =>
    windows.flatMap((window) => kinds.map((kind) => `${key} ${window} ${kind}`)),
  ),
]

function isIn(shape: Shape, kind: Kind): boolean {
  if (kind === 'move-slot') return shape === 'cluster'
  return kind !== 'failover' || shape !== 'single'
}

/** The classes that a schedule reached: with a call that was decided while, or shortly after, this happened. */
export function reachedBy(schedule: Schedule, { calls, happened }: History): ReadonlySet<string> {
  const reached = new Set<string>()
  for (const call of calls) {
    if (call.decision === undefined) continue
    const met = happened.filter((one) => isMet(one, call)).map(kindOf)
    for (const kind of happened.length > 0 ? met : (['nothing'] as const)) {
      reached.add(`${schedule.shape} ${kind}`)
      for (const bucket of call.buckets) {
        const isLong = (schedule.buckets[bucket]?.windowSeconds ?? 0) >= 60
        reached.add(`${keysOf(schedule, call)} ${isLong ? 'long' : 'short'} ${kind}`)
      }
    }
  }
  return reached
}

function keysOf({ buckets }: Schedule, call: CallRecord): (typeof keys)[number] {
  if (call.buckets.length > 1) return 'together'
  return buckets.length > 1 ? 'several' : 'one'
}

function isMet({ atMs, untilMs }: Happened, { offeredAt }: CallRecord): boolean {
  return offeredAt >= atMs - beforeMs && offeredAt <= untilMs + afterMs
}

function kindOf({ event }: Happened): Kind {
  return event.kind === 'pause' && event.forMs <= 100 ? 'hiccup' : event.kind
}
