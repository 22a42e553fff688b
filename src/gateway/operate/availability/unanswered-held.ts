import type { UnansweredCall } from '../../../registry/availability/outage-rule.ts'
import { type CountedCalls, writeUnanswered } from '../../../registry/availability/slice.ts'

/** Unanswered calls of one second that are not written yet. */
export interface UnansweredHeld {
  readonly calls: UnansweredCall[]
  /** Calls without their ids, if there are too many. */
  counted: CountedCalls | undefined
}

/** Calls of a second that keep their ids however many there are: those with which an outage begins, and the last. */
const namedMin = 6

export function noneHeld(): UnansweredHeld {
  return { calls: [], counted: undefined }
}

/**
 * Adds a call. If `isFull`, only the first five calls of the second and its last
 * keep their ids; of the others, only their number by millisecond, application
 * and outcome is kept. That needs no more memory for more calls.
 *
 * @returns how many more calls are held with their ids
 */
export function addUnanswered(held: UnansweredHeld, call: UnansweredCall, isFull: boolean): number {
  held.calls.push(call)
  if (!isFull || held.calls.length <= namedMin) return 1
  // The newest is nearly always the last: only a second that was not full before has more to look through.
  const { index } = held.calls.reduce(
    (latest, { at }, place) => (at >= latest.at ? { at, index: place } : latest),
    { at: -1, index: 0 },
  )
  const left = index === held.calls.length - 1 ? held.calls.length - 2 : held.calls.length - 1
  const [dropped] = held.calls.splice(left, 1)
  if (dropped !== undefined) count(held, dropped)
  return 0
}

function count(held: UnansweredHeld, { at, applicationId, outcome }: UnansweredCall): void {
  held.counted ??= { byMs: new Uint16Array(1_000), kinds: new Map() }
  const { byMs, kinds } = held.counted
  const ms = at % 1_000
  byMs[ms] = (byMs[ms] ?? 0) + 1
  const name = `${applicationId} ${outcome}`
  const kind = kinds.get(name) ?? { applicationId, outcome, calls: 0 }
  kind.calls += 1
  kinds.set(name, kind)
}

/** As the text of a slice. */
export function textOf(second: number, { calls, counted }: UnansweredHeld): string {
  return writeUnanswered(second, calls, counted)
}
