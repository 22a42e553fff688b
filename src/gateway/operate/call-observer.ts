// This folder records calls for operators and developers: metrics, log lines, spans, usage and call records. Read this file
// first: the edge gives it each finished call, and it passes the call on to the others. `usage/`, `calls/` and
// `availability/` each have a buffer in memory and a writer. `control.ts` answers commands about counters in this process.
// The other `keep-*.ts` files are jobs: they seal the audit and note the active configuration. `end-at-bank.ts` reports to
// the bank which applications were deleted. A call never waits for anything here, and nothing here changes its outcome.

import { type AccessLog, isWritten } from '../../platform/http/access-log.ts'
import { warnOfUnknownClient } from '../../platform/http/client-address.ts'
import { errors } from '../../platform/http/errors.ts'
import { type Logger, lineWriter } from '../../platform/log/log.ts'
import type { Grant } from '../counters/counter.ts'
import { windowSeconds } from '../counters/window.ts'
import type { Call } from '../edge/call.ts'
import type { Observer } from '../edge/observer.ts'
import type { AvailabilityRecorder } from './availability/record-availability.ts'
import { callLine } from './call-line.ts'
import type { CallRecorder } from './call-recorder.ts'
import type { KeyFailures } from './key-failures.ts'
import type { CallOutcome, FinishedCall, GatewayMetrics } from './metrics.ts'
import type { MomentOf } from './moment-of.ts'
import type { Spans } from './spans.ts'

export interface CallObserverOptions {
  readonly metrics: GatewayMetrics
  readonly log: Logger
  /** The current choice. */
  readonly accessLog: () => AccessLog
  /** Without a recorder, calls are not stored for developers. */
  readonly recorder?: Pick<CallRecorder, 'ended' | 'rehearsed'> | undefined
  /** Undefined: no spans are sent. */
  readonly spans?: Pick<Spans, 'ended'> | undefined
  readonly availability: Pick<AvailabilityRecorder, 'ended'>
  readonly keyFailures: KeyFailures
  /** {@link createRecordedAddress}. */
  readonly recordedAddress: (address: string) => string | undefined
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly momentOf: MomentOf
}

/**
 * Turns each finished call into one metrics observation and, as ACCESS_LOG says,
 * one log line, and passes it to the recorder. A line names operation, application, the public
 * part of the key, decision, and the client's address as far as
 * RECORD_ADDRESSES allows. It contains no secret and no target. A preflight is
 * no call and writes no line. Security events about keys have lines of their
 * own.
 *
 * A drill shows a failure that did not happen: metrics only count that there was one,
 * and it is not in usage, availability and security events. Its line, its
 * span and its record say that it is a drill.
 */
export function createCallObserver(options: CallObserverOptions): Observer {
  const { metrics, log, accessLog, recorder, spans, availability, keyFailures } = options
  const { recordedAddress, monotonic, momentOf } = options
  // Apart from LOG_LEVEL.
  const write = lineWriter(log)
  /** Calls that the backend failed, perhaps in the middle of its answer. */
  const failed = new WeakSet<Call>()
  let isAheadTold = false

  /** Logs once that a clock was wrong; the metric counts every affected call. */
  function decidedAhead(call: Call): void {
    metrics.decidedAhead()
    if (isAheadTold) return
    isAheadTold = true
    log.warn(
      {
        ...idsOf(call),
        operation: call.operation?.id,
        applicationId: call.caller?.applicationId,
      },
      'the window of a limit lies ahead of the clock, which was wrong when the window began: calls count in it until it ends, or until tollgate counter reset. This is logged once',
    )
  }

  return {
    ended(call) {
      const now = monotonic()
      const status = call.response.headersSent ? call.response.statusCode : 0
      const outcome = outcomeOf(call, failed.has(call))
      const grant = call.grant
      // In a plan that only observes, a call above its limit passes.
      const isObserved = grant?.admitted === false && call.entitlement?.plan.mode === 'observe'
      const decision = isObserved ? 'observed' : grant?.decision
      const { startedAt, forwardedAt, answeredAt, bodyMs, firstByteAt } = call
      const upstreamMs = forwardedAt === 0 ? undefined : answeredAt - forwardedAt
      const overheadMs = forwardedAt === 0 ? undefined : forwardedAt - startedAt - bodyMs
      const finished: FinishedCall = {
        version: call.version,
        operation: call.operation,
        status,
        outcome,
        decision,
        totalSeconds: (now - startedAt) / 1000,
        overheadSeconds: overheadMs === undefined ? undefined : overheadMs / 1000,
        upstreamSeconds: upstreamMs === undefined ? undefined : upstreamMs / 1000,
      }
      const { drill } = call
      if (drill === undefined) {
        metrics.observe(finished)
        if (grant !== undefined && isAhead(call, grant)) decidedAhead(call)
      } else metrics.drilled(drill)
      const arrivedAt = Math.floor(momentOf(startedAt, now))
      const firstByteMs = firstByteAt === 0 ? undefined : rounded(firstByteAt - startedAt)
      try {
        if (drill === undefined) {
          availability.ended({ call, finished, arrivedAt, firstByteMs })
          keyFailures.ended(call)
        }
        recorder?.ended(call, finished)
        spans?.ended(call, finished)
      } catch (error) {
        log.error({ ...idsOf(call), err: error }, 'a call could not be recorded')
      }
      if (outcome === 'preflight' || !isWritten(accessLog(), status)) return
      const address = recordedAddress(call.address)
      const facts = { at: Date.now(), arrivedAt, address, firstByteMs, upstreamMs }
      write(callLine(call, finished, facts))
    },

    rehearsed(call, grant) {
      metrics.rehearsed(call.operation, grant.decision)
      recorder?.rehearsed(call, grant.admitted)
    },

    refusedUnparsed(code) {
      metrics.observe({
        version: undefined,
        operation: undefined,
        status: errors[code].status,
        outcome: code,
        decision: undefined,
        totalSeconds: 0,
        overheadSeconds: undefined,
        upstreamSeconds: undefined,
      })
    },

    clientUnknown: warnOfUnknownClient(log),

    throttled: (address) => keyFailures.throttled(address),

    backendFailed(call, refusal, cause) {
      failed.add(call)
      // The developer asked for the failure, and an operator has nothing to do.
      if (call.drill === '504' || call.drill === 'truncated') return
      log.warn(
        {
          ...idsOf(call),
          operation: call.operation?.id,
          code: refusal.code,
          err: cause,
        },
        'the backend failed a call',
      )
    },

    failed(call, cause) {
      log.error({ ...idsOf(call), err: cause }, 'a call failed inside the gateway')
    },
  }
}

/** Whether the window of a limit is more than one window ahead of the clock. */
function isAhead({ entitlement }: Call, { standings }: Grant): boolean {
  const limits = entitlement?.plan.limits ?? []
  return limits.some(({ windowLength }, at) => {
    const { resetMs, window } = standings[at] ?? {}
    if (resetMs === undefined) return false
    const seconds = windowSeconds(window, windowLength)
    return seconds !== undefined && resetMs > seconds * 2_000
  })
}

function outcomeOf(call: Call, hasFailed: boolean): CallOutcome {
  if (call.refusal !== undefined) return call.refusal
  if (!call.response.writableFinished) return hasFailed ? 'cut' : 'aborted'
  return call.isPreflight ? 'preflight' : 'forwarded'
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

/** Where a line of the log belongs. */
function idsOf({ requestId, trace }: Call) {
  return { requestId, traceId: trace.id }
}
