// This folder writes what the client gets. This file answers a call with a refusal, and `answer-head.ts` makes the
// header block for a response of the backend. Both add the fields of `own-headers.ts`: limits, lifecycle and CORS.

import type { ErrorCode } from '../../../platform/http/errors.ts'
import { type Refusal, renderProblem } from '../../../platform/http/problem.ts'
import type { Call } from '../call.ts'
import { mayBeRecorded } from './may-be-recorded.ts'
import { addOwnHeaders } from './own-headers.ts'

export interface RefuseOptions {
  /** Origin whose `/problems/<code>` pages explain refusals. */
  readonly portalUrl: () => string
  /** Octets of a pending body that are read so that the connection can go on. */
  readonly bodyBytesMax: number
}

/** Refusals after which the start of the next request on the connection is uncertain. */
const closing: ReadonlySet<ErrorCode> = new Set([
  'FRAMING_INVALID',
  'NOT_IMPLEMENTED',
  'HTTP_VERSION',
  'UPGRADE_REFUSED',
  'REQUEST_TIMEOUT',
])

/** Answers a call with a refusal. For clients that sent a complete header block, the edge writes errors only here. */
export type Refuse = (call: Call, refusal: Refusal) => void

export function createRefuse({ portalUrl, bodyBytesMax }: RefuseOptions): Refuse {
  return (call, refusal) => {
    const { response } = call
    call.refusal = refusal.code
    call.refusalDetail = refusal.detail
    call.refusalMembers = refusal.members
    // The client disconnected during the checks.
    if (response.closed) return
    const problem = renderProblem(refusal, {
      requestId: call.requestId,
      portalUrl: portalUrl(),
      isRecorded: mayBeRecorded(call),
    })
    const fields: string[] = []
    addOwnHeaders(fields, call)
    for (const name in problem.headers) fields.push(name, problem.headers[name] ?? '')
    // Behind a body that was received whole, Node may have read the next request already.
    const isWhole = call.isFramed && call.request.complete
    const isNextUncertain = (closing.has(refusal.code) && !isWhole) || call.isBodyUncertain
    if (isNextUncertain || hasLongBodyPending(call, bodyBytesMax)) response.shouldKeepAlive = false
    response.writeHead(problem.status, fields)
    // Node reads a short rest of the body and keeps the connection; before the end of one it reads for a moment.
    response.end(problem.body, problem.encoding)
  }
}

function hasLongBodyPending({ request, fields }: Call, bodyBytesMax: number): boolean {
  if (request.complete) return false
  const { contentLength, transferEncoding } = fields
  if (contentLength !== undefined) return !(Number(contentLength) <= bodyBytesMax)
  return transferEncoding !== undefined
}
