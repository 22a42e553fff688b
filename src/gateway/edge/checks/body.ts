import type { Refusal } from '../../../platform/problem.ts'
import type { Check } from '../check.ts'

/** Maximum octets of a request body; also enforced on bodies without a declared length. */
export const bodyBytesMax = 1_048_576

const contentLengthPattern = /^(?:0|[1-9]\d{0,15})$/

export const bodyTooLarge: Refusal = {
  code: 'BODY_TOO_LARGE',
  detail: `A request body may have at most ${bodyBytesMax} bytes.`,
}

/**
 * Determines the framing of the body and refuses what the gateway cannot
 * forward, before the call is counted. Node's parser has already refused
 * contradictory framing (RFC 9112, 6.3). This check refuses the remaining forms
 * that a backend could read differently.
 */
export const body: Check = (call, next) => {
  const { httpVersion, method } = call.request
  const { transferEncoding: coding, contentLength: length } = call.fields
  if (coding !== undefined) {
    const refusal = refuseCoding(coding, httpVersion, length)
    if (refusal !== undefined) {
      next(refusal)
      return
    }
  } else if (length !== undefined && !contentLengthPattern.test(length)) {
    next({ code: 'FRAMING_INVALID', detail: 'Content-Length must be a plain decimal number.' })
    return
  }
  const hasBody = coding !== undefined || (length !== undefined && length !== '0')
  if (hasBody && (method === 'GET' || method === 'DELETE')) {
    next({ code: 'FRAMING_INVALID', detail: `A ${method} request must not have a body.` })
    return
  }
  if (length !== undefined && Number(length) > bodyBytesMax) {
    next(bodyTooLarge)
    return
  }
  call.framed(hasBody)
  next()
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
