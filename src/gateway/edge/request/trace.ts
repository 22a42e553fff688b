import { randomFillSync } from 'node:crypto'
import { ownCopy } from '../../../platform/own-copy.ts'
import type { RequestFields } from './request-fields.ts'

/** The trace of a call (W3C Trace Context): the caller's, continued, or a new one. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** The caller's span, 16 hexadecimal digits; undefined: the trace begins here. */
  readonly parentId: string | undefined
  /** The gateway's span of the call to the backend, 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether spans are recorded. */
  readonly isSampled: boolean
  /** Whether that is only the caller's decision. */
  readonly isSampledByCaller: boolean
  /** `tracestate` of the caller, as it came. */
  readonly state: string | undefined
}

/** Whether the gateway records a call. @param spanId of its own: the caller may choose the trace id */
export type Sampler = (spanId: string) => boolean

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/**
 * Reads the trace of a request. An absent, doubled or malformed `traceparent`
 * begins a new trace, and its `tracestate` is dropped (Trace Context, 3.2.2.5
 * and 3.3.1.1).
 *
 * @param followsCaller whether a caller's *sampled* flag also has its calls
 * recorded. Otherwise any client could have all of its calls recorded.
 */
export function createTraceOf(
  isSampled: Sampler,
  followsCaller = false,
): (fields: RequestFields) => Trace {
  return ({ traceparent, tracestate }) => {
    const parent = traceparent === undefined ? undefined : parse(traceparent)
    const ids = randomHex(parent === undefined ? 24 : 8)
    const spanId = ids.slice(-16)
    const isOwn = isSampled(spanId)
    const isSampledByCaller = !isOwn && followsCaller && parent?.isSampled === true
    return {
      id: parent?.id ?? ids.slice(0, 32),
      parentId: parent?.parentId,
      spanId,
      isSampled: isOwn || isSampledByCaller,
      isSampledByCaller,
      state: parent === undefined ? undefined : tracestate,
    }
  }
}

/** The field for the backend. */
export function traceparentOf({ id, spanId, isSampled }: Trace): string {
  return `00-${id}-${spanId}-${isSampled ? '01' : '00'}`
}

function parse(text: string): Pick<Trace, 'id' | 'parentId' | 'isSampled'> | undefined {
  const [, version, id = noTrace, parentId = noSpan, flags = '', rest] = pattern.exec(text) ?? []
  if (version === undefined || version === 'ff') return undefined
  // Only a later version may have more.
  if (version === '00' && rest !== undefined) return undefined
  if (id === noTrace || parentId === noSpan) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { id: ownCopy(id), parentId: ownCopy(parentId), isSampled }
}

/** Filled seldom: a call to the system for each id would cost more than all else here. */
const pool = Buffer.allocUnsafe(8_184)
let used = pool.length

function randomHex(octets: number): string {
  if (used + octets > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += octets
  return pool.toString('hex', used - octets, used)
}
