import { bucketName } from '../../gateway/counters/bucket.ts'
import type { Counter } from '../../gateway/counters/counter.ts'
import { resetsAt } from '../../gateway/counters/window.ts'
import type { AffectedApplication } from './affected.ts'
import type { NewLimit } from './new-limits.ts'

/** A new limit for one application. */
export interface LimitedSubject {
  readonly application: AffectedApplication
  readonly api: string
  readonly version: string
  /** Null for a limit over the whole version. */
  readonly operation: string | null
  readonly plan: string
  readonly limit: string
  /** What the window would admit for this application. */
  readonly calls: number
}

/** A count that a new limit would not let grow. */
export interface OverNow extends LimitedSubject {
  readonly used: number
  readonly resetsAt: Date
}

/** Buckets that are read at a time. */
const bucketsAtOnce = 500

/**
 * Reads the counts that the next call would find used up under the new limits
 * and does not under the active ones. A limit whose window changes begins with
 * an empty count, so it is over nowhere.
 */
export async function overNow(
  limits: readonly NewLimit[],
  counters: Pick<Counter, 'peek'>,
  nowMs: number,
): Promise<readonly OverNow[]> {
  const counted = limits.flatMap(countedBy)
  const over: OverNow[] = []
  for (let at = 0; at < counted.length; at += bucketsAtOnce) {
    const part = counted.slice(at, at + bucketsAtOnce)
    const states = await counters.peek(part.map(({ peeked }) => peeked))
    for (const [index, { subject, callsNow }] of part.entries()) {
      const state = states[index]
      if (state === undefined || state.count < subject.calls || state.count >= callsNow) continue
      const resets = new Date(resetsAt(nowMs, state.resetMs))
      over.push({ ...subject, used: state.count, resetsAt: resets })
    }
  }
  return over.sort((a, b) => b.used - a.used)
}

function countedBy({ api, version, plan, limit, operations, applications }: NewLimit) {
  const ids = limit.scope === 'operation' ? operations.map(({ id }) => id) : [null]
  return applications.flatMap(({ application, calls, callsNow }) =>
    ids.map((operation) => {
      const bucket = bucketName(application.id, { api, version, id: operation ?? '' }, limit)
      const subject = { application, api, version, operation, plan, limit: limit.name, calls }
      return { peeked: { bucket, windowLength: limit.windowLength }, subject, callsNow }
    }),
  )
}
