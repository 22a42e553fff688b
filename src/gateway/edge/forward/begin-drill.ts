import type { CallDrill } from '../../../platform/http/drills.ts'
import type { AnswerHandler, UpstreamRequest } from '../../upstream/connection.ts'
import type { Dispatched, Pool } from '../../upstream/pool.ts'
import { UpstreamError } from '../../upstream/upstream-error.ts'
import type { Exchange, ExchangeTimes } from './exchange.ts'

/** Where an exchange sends its request: the pool of the backend, or a simulation. */
type Dispatcher = Pick<Pool, 'dispatch'>

/** Maximum delay of the drill `slow`, in milliseconds. */
const slowMsMax = 5_000

/** A drill that an exchange begins, and the call it is for. */
export interface DrillOptions {
  readonly drill: CallDrill
  /** The pool of the backend. */
  readonly pool: Dispatcher
  readonly request: UpstreamRequest
  readonly times: ExchangeTimes
}

/**
 * Begins an exchange with a backend that fails as the drill says. Only the
 * backend is simulated: the exchange handles the failure as that of any call.
 */
export function beginDrill(
  exchange: Pick<Exchange, 'begin' | 'endIfLate'>,
  { drill, pool, request, times }: DrillOptions,
): void {
  switch (drill) {
    case '504':
      exchange.begin(silentBackend, request)
      // Times out at once: a wait would hold one of the backend's places and teach the client nothing.
      exchange.endIfLate(Number.POSITIVE_INFINITY)
      break
    case 'slow':
      exchange.begin(delayed(pool, delayMs(times)), request)
      break
    case 'truncated':
      exchange.begin(truncated(pool), request)
      break
    default:
      exchange.begin(pool, request)
  }
}

/** The delay of the drill `slow`, in milliseconds: well within the time limits of the backend. */
function delayMs({ firstByteMs, callMs }: ExchangeTimes): number {
  return Math.min(slowMsMax, firstByteMs / 2, callMs / 2)
}

/** Simulates a backend that accepts every call and never responds. Sends nothing. */
const silentBackend: Dispatcher = {
  dispatch: () => ({ isWaiting: false, bodyProgress: 0, abandon() {}, resume() {} }),
}

/** Simulates a backend that takes `ms` milliseconds longer. Holds no connection during the delay. */
function delayed(pool: Dispatcher, ms: number): Dispatcher {
  return {
    dispatch(request, handler) {
      let dispatched: Dispatched | undefined
      const timer = setTimeout(() => {
        dispatched = pool.dispatch(request, handler)
      }, ms)
      return {
        get isWaiting() {
          return dispatched?.isWaiting === true
        },
        get bodyProgress() {
          return dispatched?.bodyProgress ?? 0
        },
        abandon() {
          clearTimeout(timer)
          dispatched?.abandon()
        },
        resume: () => dispatched?.resume(),
      }
    },
  }
}

/** Simulates a backend whose connection breaks halfway through the first piece of its body. */
function truncated(pool: Dispatcher): Dispatcher {
  return {
    dispatch(request, handler) {
      const broken = new UpstreamError('ANSWER_CUT', 'a drill broke the answer off')
      const cutting: AnswerHandler = {
        onHead: (status, fields) => handler.onHead(status, fields),
        onBody(octets) {
          const half = octets.subarray(0, octets.length >> 1)
          if (half.length > 0) handler.onBody(half)
          dispatched.abandon()
          // In a later turn, like an error of the connection, so that the half has been sent by then.
          setImmediate(() => handler.onError(broken))
          return true
        },
        // Without a body there is no half: the connection breaks before anything reaches the client.
        onEnd: () => handler.onError(broken),
        onError: (error) => handler.onError(error),
      }
      const dispatched = pool.dispatch(request, cutting)
      return dispatched
    },
  }
}
