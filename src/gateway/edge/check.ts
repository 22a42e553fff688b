import type { Refusal } from '../../platform/problem.ts'
import type { Call } from './call.ts'

/** A response of the gateway itself that is not a refusal and has no body. */
export interface Answer {
  readonly status: 204
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/**
 * Continues with the next check, or ends the call with a refusal or an answer.
 * An error is a fault of the gateway and becomes 500. Called exactly once.
 */
export type Next = (outcome?: Refusal | Answer | Error) => void

/**
 * Guards a check's code in the callback of another component: an error thrown
 * there would reach a store's event handler and leave the call without a
 * response.
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
 * One check of a call. Records its findings on the call, then calls `next`, at
 * once or later. Never answers the client itself.
 */
export type Check = (call: Call, next: Next) => void

/** A check with its name in the table, in logs and in `tollgate explain`. */
export interface NamedCheck {
  readonly name: string
  readonly check: Check
}

/** Continuations of a call after its checks. Exactly one is called. */
export interface CheckOutcome {
  readonly admitted: () => void
  /** The client disconnected; no further check ran. */
  readonly left: () => void
  readonly refused: (refusal: Refusal) => void
  readonly answered: (answer: Answer) => void
  /** A check threw: a fault of the gateway, which ends this call only. */
  readonly failed: (error: unknown) => void
}

/** Runs checks in order until one ends the call. Catches what they throw; in callbacks, checks use {@link guarded}. */
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
      if (call.isOver) outcome.left()
      else if (row === undefined) outcome.admitted()
      else row.check(call, next)
    } catch (error) {
      outcome.failed(error)
    }
  }
  next()
}
