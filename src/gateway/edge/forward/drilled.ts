import type { CallDrill } from '../../../platform/http/drills.ts'
import type { AnswerHandler, UpstreamRequest } from '../../upstream/connection.ts'
import type { Dispatched, Pool } from '../../upstream/pool.ts'
import { UpstreamError } from '../../upstream/upstream-error.ts'
import type { Exchange, ExchangeTimes } from './exchange.ts'

type Way = Pick<Pool, 'dispatch'>

/** Longest time by which a `slow` answer is late, in milliseconds. */
const slowMsMax = 5_000

export interface DrilledOptions {
  readonly drill: CallDrill
  readonly pool: Way
  readonly request: UpstreamRequest
  readonly times: ExchangeTimes
}

/**
 * Begins the exchange of a drill over a way that is as bad as the drill says.
 * The exchange itself is that of every call, and so is all that it answers.
 */
export function beginDrilled(
  exchange: Pick<Exchange, 'begin' | 'endIfLate'>,
  { drill, pool, request, times }: DrilledOptions,
): void {
  switch (drill) {
    case '504':
      exchange.begin(silent, request)
      // Late at once: its client learns nothing from the wait, which would cost a place.
      exchange.endIfLate(Number.POSITIVE_INFINITY)
      break
    case 'slow':
      exchange.begin(slowed(pool, slowMs(times)), request)
      break
    case 'truncated':
      exchange.begin(truncating(pool), request)
      break
    default:
      exchange.begin(pool, request)
  }
}

/** By how much a `slow` answer is late, in milliseconds: well within the time that the backend has. */
function slowMs({ firstByteMs, callMs }: ExchangeTimes): number {
  return Math.min(slowMsMax, firstByteMs / 2, callMs / 2)
}

/** To a backend that takes every call and answers nothing. The call goes nowhere. */
const silent: Way = {
  dispatch: () => ({ isWaiting: false, bodyProgress: 0, abandon() {}, resume() {} }),
}

/** To a backend that needs `ms` milliseconds longer. Holds no connection meanwhile. */
function slowed(pool: Way, ms: number): Way {
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

/** To a backend whose connection breaks after the first half of what it sends of a body first. */
function truncating(pool: Way): Way {
  return {
    dispatch(request, handler) {
      const broken = new UpstreamError('ANSWER_CUT', 'a drill broke the answer off')
      const cutting: AnswerHandler = {
        onHead: (status, fields) => handler.onHead(status, fields),
        onBody(octets) {
          const half = octets.subarray(0, octets.length >> 1)
          if (half.length > 0) handler.onBody(half)
          dispatched.abandon()
          // As from another read of the connection: the half has left by then.
          setImmediate(() => handler.onError(broken))
          return true
        },
        // An answer without a body has no middle: its connection breaks before the end of its header block.
        onEnd: () => handler.onError(broken),
        onError: (error) => handler.onError(error),
      }
      const dispatched = pool.dispatch(request, cutting)
      return dispatched
    },
  }
}
