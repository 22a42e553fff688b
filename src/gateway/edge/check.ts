import type { Refusal } from '../../platform/problem.ts'
import type { Call } from './call.ts'

/** Answer of the gateway's own that is no refusal and has no body. */
export interface Answer {
  readonly status: 204
  /** Name and value alternating. */
  readonly headers: readonly string[]
}

/** Goes on to the next check, or ends the call with a refusal or an answer; with an error, a mistake of ours, it ends with 500. Called exactly once. */
export type Next = (outcome?: Refusal | Answer | Error) => void

/**
 * Guards what a check does in a callback of somebody else's: a throw there
 * would end up in a store's event loop and leave the call without an answer.
 */
export function guarded<Value>(next: Next, work: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      work(value)
    } catch (error) {
      next(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

/**
 * One question about a call. Notes on the call what it finds, then calls
 * `next`, at once or later; it never answers the client itself.
 */
export type Check = (call: Call, next: Next) => void

/** A check with the name it has in the table, in logs and in `tollgate explain`. */
export interface NamedCheck {
  readonly name: string
  readonly check: Check
}

/** What becomes of a call after its checks; exactly one of them is called. */
export interface CheckOutcome {
  readonly admitted: () => void
  readonly refused: (refusal: Refusal) => void
  readonly answered: (answer: Answer) => void
  /** A check threw: a mistake of ours, which ends this call and nothing else. */
  readonly failed: (error: unknown) => void
}

/** Runs checks in order until one ends the call. Catches what they throw; what they do in callbacks they guard ({@link guarded}). */
export function runChecks(checks: readonly NamedCheck[], call: Call, outcome: CheckOutcome): void {
  let index = 0
  function next(end?: Refusal | Answer | Error): void {
    if (end instanceof Error) {
      outcome.failed(end)
      return
    }
    try {
      if (end !== undefined) {
        if ('code' in end) outcome.refused(end)
        else outcome.answered(end)
        return
      }
      const row = checks[index]
      index += 1
      if (row === undefined) outcome.admitted()
      else row.check(call, next)
    } catch (error) {
      outcome.failed(error)
    }
  }
  next()
}
