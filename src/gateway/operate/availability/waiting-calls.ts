import type { UnansweredCall } from '../../../registry/availability/outage-rule.ts'
import { type CountedCalls, writeUnanswered } from '../../../registry/availability/slice.ts'

/** Unanswered calls of one second that are not written yet. */
export interface WaitingCalls {
  readonly calls: UnansweredCall[]
  /** Calls without their ids, if there are too many. */
  counted: CountedCalls | undefined
}

/** Calls of a second that keep their ids however many there are: those with which an outage begins, and the last. */
const namedMin = 6

export function noCalls(): WaitingCalls {
  return { calls: [], counted: undefined }
}

/**
 * Adds a call. If `isFull`, only the first five calls of the second and its last
 * keep their ids; of the others, only their number by millisecond, application
 * and outcome is kept. That needs no more memory for more calls.
 *
 * @returns how many more calls wait with their ids
 */
export function addCall(waiting: WaitingCalls, call: UnansweredCall, isFull: boolean): number {
  waiting.calls.push(call)
  if (!isFull || waiting.calls.length <= namedMin) return 1
  // The newest is nearly always the last: only a second that was not full before has more to look through.
  const { index } = waiting.calls.reduce(
    (latest, { at }, place) => (at >= latest.at ? { at, index: place } : latest),
    { at: -1, index: 0 },
  )
  const left =
    index === waiting.calls.length - 1 ? waiting.calls.length - 2 : waiting.calls.length - 1
  const [dropped] = waiting.calls.splice(left, 1)
  if (dropped !== undefined) count(waiting, dropped)
  return 0
}

function count(waiting: WaitingCalls, { at, applicationId, outcome }: UnansweredCall): void {
  waiting.counted ??= { byMs: new Uint16Array(1_000), kinds: new Map() }
  const { byMs, kinds } = waiting.counted
  const ms = at % 1_000
  byMs[ms] = (byMs[ms] ?? 0) + 1
  const name = `${applicationId} ${outcome}`
  const kind = kinds.get(name) ?? { applicationId, outcome, calls: 0 }
  kind.calls += 1
  kinds.set(name, kind)
}

/** As the text of a slice. */
export function textOf(second: number, { calls, counted }: WaitingCalls): string {
  return writeUnanswered(second, calls, counted)
}
