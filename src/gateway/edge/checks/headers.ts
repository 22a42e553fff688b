import type { Refusal } from '../../../platform/problem.ts'
import type { Check } from '../check.ts'

/**
 * Refuses requests whose header block is ambiguous or asks for something the
 * gateway does not support.
 */
export const headers: Check = (call, next) => {
  next(refuseVersion(call.request.httpVersion) ?? call.fields.refusal)
}

function refuseVersion(version: string): Refusal | undefined {
  if (version === '1.1' || version === '1.0') return undefined
  if (version.startsWith('1.') || version.startsWith('0.')) {
    return { code: 'FRAMING_INVALID', detail: 'The request line must name HTTP/1.1.' }
  }
  return { code: 'HTTP_VERSION' }
}
