import type { ErrorCode } from '../../platform/errors.ts'
import { type Refusal, renderProblem } from '../../platform/problem.ts'
import { bodyBytesMax } from './body.ts'
import type { Call } from './call.ts'
import { endAfterLinger } from './linger.ts'

export interface RefuseOptions {
  /** Origin whose `/problems/<code>` pages explain refusals. */
  readonly portalUrl: () => string
}

/** Refusals after which it is not certain where the next request on the connection would begin. */
const closing: ReadonlySet<ErrorCode> = new Set([
  'FRAMING_INVALID',
  'NOT_IMPLEMENTED',
  'HTTP_VERSION',
  'UPGRADE_REFUSED',
])

/** Answers a call with a refusal; the only place where the edge writes an error to a client that sent a whole header block. */
export type Refuse = (call: Call, refusal: Refusal) => void

export function createRefuse({ portalUrl }: RefuseOptions): Refuse {
  return (call, refusal) => {
    const { request, response } = call
    call.refusal = refusal.code
    call.refusalDetail = refusal.detail
    const problem = renderProblem(refusal, { requestId: call.requestId, portalUrl: portalUrl() })
    const fields: string[] = [...call.answerHeaders]
    for (const name in problem.headers) fields.push(name, problem.headers[name] ?? '')
    if (hasLongBodyPending(call)) {
      response.writeHead(problem.status, [...fields, 'connection', 'close'])
      response.write(problem.body, problem.encoding)
      endAfterLinger(request, response)
    } else {
      // Node reads a short rest of the body by itself and keeps the connection.
      if (closing.has(refusal.code)) fields.push('connection', 'close')
      response.writeHead(problem.status, fields)
      response.end(problem.body, problem.encoding)
    }
  }
}

function hasLongBodyPending({ request, fields }: Call): boolean {
  if (request.complete) return false
  const { contentLength, transferEncoding } = fields
  if (contentLength !== undefined) return !(Number(contentLength) <= bodyBytesMax)
  return transferEncoding !== undefined
}
