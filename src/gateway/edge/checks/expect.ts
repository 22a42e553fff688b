import type { Counter, Grant } from '../../counters/counter.ts'
import { type Check, guarded } from '../check.ts'
import { refuseExhausted } from './limit.ts'

export interface ExpectOptions {
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Refuses a client that waits for 100 Continue before it sends its body, if its
 * limit is used up. It counts nothing. The limit check runs after the body has
 * arrived, and also decides what happens during a store outage.
 */
export function expect({ counter, now }: ExpectOptions): Check {
  return (call, next) => {
    const { plan, buckets } = call.entitlement
    if (call.fields.expect === undefined || !call.hasBody || plan.mode === 'observe') {
      next()
      return
    }
    const look = guarded(next, (states: Awaited<ReturnType<Counter['peek']>>) => {
      const standings = buckets.map(({ calls }, at) => {
        const { count = 0, resetMs = 0 } = states[at] ?? {}
        return { remaining: Math.max(0, calls - count), resetMs, granted: count < calls }
      })
      const exhausted = standings.filter(({ granted }) => !granted)
      if (exhausted.length === 0) {
        next()
        return
      }
      const retryAfterMs = Math.max(...exhausted.map(({ resetMs }) => resetMs))
      const grant: Grant = { admitted: false, decision: 'refused', standings, retryAfterMs }
      call.granted(grant)
      next(refuseExhausted(call, grant, now()))
    })
    counter.peek(buckets).then(look, () => next())
  }
}
