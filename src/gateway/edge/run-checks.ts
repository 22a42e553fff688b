import type { Refusal } from '../../platform/http/problem.ts'
import { Call } from './call.ts'

/** A response of the gateway itself that is not a refusal and has no body. */
export interface EmptyResponse {
  readonly status: 204
  /** Alternating names and values. */
  readonly headers: readonly string[]
}

/** How a check ends a call. An error is a fault of the gateway and becomes 500. */
export type End = Refusal | EmptyResponse | Error

/** Passes the call on, as far as it has come, or ends it. Called exactly once. */
export type Next<After extends Call> = (outcome: After | End) => void

/**
 * One check of a call: takes a call as far as the checks before it brought it,
 * adds what it found, and calls `next`, at once or later. Never answers the
 * client itself.
 */
export type Check<Before extends Call, After extends Before> = (
  call: Before,
  next: Next<After>,
) => void

/** A check that adds nothing: it only judges a call that has come this far. */
export type Judge<Before extends Call> = <Stage extends Before>(
  call: Stage,
  next: Next<Stage>,
) => void

/** A check with its name in the table, in logs and in `tollgate explain`. */
export interface Row {
  readonly name: string
  readonly check: Check<Call, Call>
}

/**
 * The checks of a call, in order. A row takes the stage that the row before it
 * leaves, so a table that lacks a stage, or has it too late, does not compile.
 * A check that only judges can be anywhere after the stage it takes.
 */
export class Checks<Last extends Call> {
  readonly rows: readonly Row[]

  private constructor(rows: readonly Row[]) {
    this.rows = rows
  }

  static first<After extends Call>(name: string, check: Check<Call, After>): Checks<After> {
    return new Checks<Call>([]).row(name, check)
  }

  row<After extends Last>(name: string, check: Check<Last, After>): Checks<After> {
    // The stages were compared here, once; at run time every stage is the same object.
    return new Checks([...this.rows, { name, check: check as unknown as Check<Call, Call> }])
  }

  /** The same checks; `passed` receives the name of each check that a call passes. */
  watched(passed: (name: string) => void): Checks<Last> {
    const watchedCheck =
      ({ name, check }: Row): Row['check'] =>
      (call, next) =>
        check(call, (outcome) => {
          if (outcome instanceof Call) passed(name)
          next(outcome)
        })
    return new Checks(this.rows.map((row) => ({ ...row, check: watchedCheck(row) })))
  }

  /** The same checks; those with these names note on a sampled call when they began and ended. */
  timed(names: readonly string[], monotonic: () => number): Checks<Last> {
    const timedCheck =
      ({ name, check }: Row): Row['check'] =>
      (call, next) => {
        if (!call.trace.isSampled) return check(call, next)
        const from = monotonic()
        check(call, (outcome) => {
          call.timings ??= []
          call.timings.push({ name, from, to: monotonic() })
          next(outcome)
        })
      }
    return new Checks(
      this.rows.map((row) => (names.includes(row.name) ? { ...row, check: timedCheck(row) } : row)),
    )
  }

  /**
   * Runs the checks in order until one ends the call.
   *
   * @param decided receives the call that passed all, how a check ended it, or
   * undefined if the client disconnected meanwhile: then no further check runs.
   * Must not throw.
   */
  run(call: Call, decided: (outcome: Last | End | undefined) => void): void {
    const { rows } = this
    let at = 0
    function next(outcome: Call | End): void {
      const row = rows[at]
      if (!(outcome instanceof Call)) decided(outcome)
      else if (call.isOver) decided(undefined)
      // What the last row left.
      else if (row === undefined) decided(outcome as Last)
      else {
        at += 1
        try {
          row.check(outcome, next)
        } catch (error) {
          decided(errorOf(error))
        }
      }
    }
    next(call)
  }
}

/**
 * Guards a check's code in the callback of another component: an error thrown
 * there would reach a store's event handler and leave the call without a
 * response.
 */
export function guarded<Value>(
  next: Next<never>,
  work: (value: Value) => void,
): (value: Value) => void {
  return (value) => {
    try {
      work(value)
    } catch (error) {
      next(errorOf(error))
    }
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
