import type { Refusal } from '../../platform/problem.ts'
import type { Call } from './call.ts'

/** Goes on to the next check, or ends the call with a refusal. Called exactly once. */
export type Next = (refusal?: Refusal) => void

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
  /** A check threw: a mistake of ours, which ends this call and nothing else. */
  readonly failed: (error: unknown) => void
}

/** Runs checks in order until one refuses. Catches what they throw, also after an asynchronous step. */
export function runChecks(checks: readonly NamedCheck[], call: Call, outcome: CheckOutcome): void {
  let index = 0
  function next(refusal?: Refusal): void {
    try {
      if (refusal !== undefined) {
        outcome.refused(refusal)
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
