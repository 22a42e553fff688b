import { type ErrorCode, errors } from './errors.ts'

/**
 * Why a call is refused: a value, created where the reason is found and
 * rendered only by {@link renderProblem}.
 */
export interface Refusal {
  readonly code: ErrorCode
  /** What was wrong and what is permitted. Public, so it never repeats the target, a key or an upstream address. */
  readonly detail?: string
  /** Header fields of this response, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Extension members of the problem (RFC 9457, section 3.2). They may replace `type`. */
  readonly members?: Readonly<Record<string, unknown>>
}

export interface RenderedProblem {
  readonly status: number
  /** Header fields with names in lower case; `content-type` and `content-length` included. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `latin1` if that gives the same octets, because Node writes it faster. */
  readonly encoding: 'latin1' | 'utf8'
}

export interface ProblemContext {
  /** UUID of the request, also the `instance` of the problem. */
  readonly requestId: string
  /** Origin of the portal without a trailing slash; its pages explain the codes. */
  readonly portalUrl: string
  /** Whether the portal may have a record of this request. */
  readonly isRecorded?: boolean
}

/** Renders a refusal as `application/problem+json` (RFC 9457). */
export function renderProblem(refusal: Refusal, context: ProblemContext): RenderedProblem {
  const { code, detail, headers, members } = refusal
  const { status, title } = errors[code]
  const { requestId, portalUrl, isRecorded } = context
  const page = `${portalUrl}/problems/${code}`
  const body = JSON.stringify({
    type: page,
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    code,
    ...members,
    // The page of the code then links to the record.
    help: isRecorded === true ? `${page}?call=${requestId}` : page,
    log: isRecorded === true ? `${portalUrl}/r/${requestId}` : undefined,
  })
  const length = Buffer.byteLength(body)
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'content-length': String(length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      ...headers,
    },
    body,
    encoding: length === body.length ? 'latin1' : 'utf8',
  }
}
