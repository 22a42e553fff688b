import type { Refusal } from '../../../platform/http/problem.ts'
import type { FramedCall, RoutedCall } from '../call.ts'
import { bodyTooLarge } from '../request/body-limit.ts'
import type { Check } from '../run-checks.ts'

const contentLengthPattern = /^(?:0|[1-9]\d{0,15})$/

export interface BodyOptions {
  /** Maximum octets of a body. */
  readonly bodyBytesMax: number
}

/**
 * Refuses a framing of the body that the gateway cannot forward, before the
 * call is counted. Node's parser has already refused
 * contradictory framing (RFC 9112, 6.3). This check refuses the remaining forms
 * that a backend could read differently.
 */
export function body({ bodyBytesMax }: BodyOptions): Check<RoutedCall, FramedCall> {
  return (call, next) => {
    next(refuseFraming(call, bodyBytesMax) ?? call.framed())
  }
}

function refuseFraming(
  { request, fields, hasBody, operation }: RoutedCall,
  bodyBytesMax: number,
): Refusal | undefined {
  const { httpVersion, method } = request
  const { transferEncoding: coding, contentLength: length } = fields
  if (coding !== undefined) {
    const refusal = refuseCoding(coding, httpVersion, length)
    if (refusal !== undefined) return refusal
  } else if (length !== undefined && !contentLengthPattern.test(length)) {
    return { code: 'FRAMING_INVALID', detail: 'Content-Length must be a plain decimal number.' }
  }
  // Backends that expect no body may take its octets for the next request (RFC 9110, 9.3.1).
  if (hasBody && !operation.hasBody && (method === 'GET' || method === 'DELETE')) {
    return { code: 'FRAMING_INVALID', detail: `This ${method} operation has no body.` }
  }
  return length !== undefined && Number(length) > bodyBytesMax
    ? bodyTooLarge(bodyBytesMax)
    : undefined
}

function refuseCoding(
  coding: string,
  httpVersion: string,
  length: string | undefined,
): Refusal | undefined {
  if (httpVersion === '1.0' || length !== undefined) {
    return {
      code: 'FRAMING_INVALID',
      detail: 'Send Transfer-Encoding only with HTTP/1.1 and without Content-Length.',
    }
  }
  if (coding === '') return { code: 'FRAMING_INVALID', detail: 'Transfer-Encoding is empty.' }
  if (coding.toLowerCase() === 'chunked') return undefined
  return {
    code: 'NOT_IMPLEMENTED',
    detail: 'The gateway supports only the transfer coding chunked.',
  }
}
