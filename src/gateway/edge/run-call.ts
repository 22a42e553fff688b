// This folder takes a call from its arrival to the end of its response. Read this file first, then `check-table.ts`, the
// table of checks in their order, and `call.ts`, what is known about a call after each check. `request/` reads what
// arrives, `checks/` has a file for each check, `forward/` sends the call to the backend, and `answer/` writes what
// the client gets. A new policy is a check with a row in the table. The edge knows counters, registry and observer
// only as interfaces.

import type { Refuse } from './answer/refuse.ts'
import { type AnswerableResponse, Call, type GrantedCall } from './call.ts'
import type { Forward } from './forward/road.ts'
import type { Observer } from './observer.ts'
import type { Checks, End } from './run-checks.ts'

export interface RunCallOptions {
  readonly checks: Checks<GrantedCall>
  readonly refuse: Refuse
  readonly observer: Observer
}

/** Runs calls. Nothing here throws. */
export interface RunCall {
  /**
   * Runs a call until its response is sent or its client is gone.
   *
   * @param forward sends the granted call to the backend and answers it; throws
   * only before anything was sent
   */
  run(call: Call, forward: Forward): void
  /** Ends a call in which code of the gateway failed. */
  failed(call: Call, error: unknown): void
  /** Calls that have begun and not ended. */
  underWay(): number
}

/**
 * The life of a call, in order:
 *
 * 1. `listener.ts` makes the call with `request/` (header block, client address,
 *    request id) and runs it here.
 * 2. `check-table.ts` lists what is checked. A check lets the call pass or ends it;
 *    the last one counts it.
 * 3. `forward/` sends the granted call to the backend.
 * 4. `answer/` writes what the client gets: the backend's response, or a refusal.
 * 5. The observer sees the finished call, once: metrics, log, usage, record.
 */
export function createRunCall({ checks, refuse, observer }: RunCallOptions): RunCall {
  let underWay = 0

  function failed(call: Call, error: unknown): void {
    observer.failed(call, error)
    if (call.response.headersSent) return
    try {
      refuse(call, { code: 'INTERNAL_ERROR' })
    } catch (cause) {
      observer.failed(call, cause)
      call.response.destroy()
    }
  }

  /** The response was sent, or the client disconnected. */
  function closed(this: AnswerableResponse): void {
    const { call } = this
    if (call === undefined) return
    call.closed()
    reportFinished(call)
  }

  /**
   * Reports a call once its checks and its connection have both ended, in either
   * order: a grant may arrive after the client left, and the end of an upload
   * ends the checks.
   */
  function reportFinished(call: Call): void {
    if (!call.isChecked || !call.isOver || call.isReported) return
    call.isReported = true
    underWay -= 1
    observer.ended(call)
  }

  return {
    failed,
    underWay: () => underWay,
    run(call, forward) {
      underWay += 1
      // The response holds its call, so one function serves all.
      call.response.call = call
      call.response.on('close', closed)
      checks.run(call, (outcome) => {
        // A check that continues twice must not forward a call a second time.
        if (call.isChecked) return
        try {
          if (outcome instanceof Call) forward(assertGranted(outcome))
          else if (outcome !== undefined) end(call, outcome)
        } catch (error) {
          failed(call, error)
        }
        call.isChecked = true
        reportFinished(call)
      })
    },
  }

  /** The last defence: no call is forwarded without a grant, even if the table or a check is wrong. */
  function assertGranted(call: GrantedCall): GrantedCall {
    if (call.grant.admitted || call.entitlement.plan.mode === 'observe') return call
    throw new Error('a call passed the checks without a grant')
  }

  function end(call: Call, outcome: End): void {
    if (outcome instanceof Error) failed(call, outcome)
    else if ('code' in outcome) refuse(call, outcome)
    else {
      call.isPreflight = true
      call.response.writeHead(outcome.status, [...outcome.headers])
      call.response.end()
    }
  }
}
