import { type ErrorCode, errors } from './errors.ts'

/**
 * Why a call is not served: a value, made where the reason is found and
 * rendered only by {@link renderProblem}.
 */
export interface Refusal {
  readonly code: ErrorCode
  /** What was wrong and what is allowed. Public, so it never repeats the target, a key or an upstream address. */
  readonly detail?: string
  /** Header fields that belong to this answer, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Extension members of the problem (RFC 9457, section 3.2). They may replace `type`. */
  readonly members?: Readonly<Record<string, unknown>>
}

export interface RenderedProblem {
  readonly status: number
  /** Header fields with names in lower case; `content-type` and `content-length` included. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `latin1` where that makes the same octets: Node writes it faster. */
  readonly encoding: 'latin1' | 'utf8'
}

export interface ProblemContext {
  /** UUID of the request, also the `instance` of the problem. */
  readonly requestId: string
  /** Origin of the portal without a trailing slash; its pages explain the codes. */
  readonly portalUrl: string
}

/** Renders a refusal as `application/problem+json` (RFC 9457). */
export function renderProblem(refusal: Refusal, context: ProblemContext): RenderedProblem {
  const { code, detail, headers, members } = refusal
  const { status, title } = errors[code]
  const { requestId, portalUrl } = context
  const body = JSON.stringify({
    type: `${portalUrl}/problems/${code}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    code,
    ...members,
  })
  const length = Buffer.byteLength(body)
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'content-length': String(length),
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
    body,
    encoding: length === body.length ? 'latin1' : 'utf8',
  }
}
