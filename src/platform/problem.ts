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
}

export interface ProblemContext {
  /** UUID of the request, also the `instance` of the problem. */
  readonly requestId: string
  /** Origin of the portal without a trailing slash; its pages explain the codes. */
  readonly portalUrl: string
}

/** Renders a refusal as `application/problem+json` (RFC 9457). */
export function renderProblem(refusal: Refusal, context: ProblemContext): RenderedProblem {
  const { status, title } = errors[refusal.code]
  const body = JSON.stringify({
    type: `${context.portalUrl}/problems/${refusal.code}`,
    title,
    status,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    instance: `urn:uuid:${context.requestId}`,
    code: refusal.code,
    ...refusal.members,
  })
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-request-id': context.requestId,
      ...refusal.headers,
    },
    body,
  }
}
