import type { Refusal } from '../../../platform/http/problem.ts'
import type { Call } from '../call.ts'
import type { RequestFields, SpecialField } from '../request/request-fields.ts'
import type { Judge } from '../run-checks.ts'
import { via } from '../via.ts'

/** Names that a refusal repeats: words. A key, sent as a name by mistake, has digits or is longer. */
const wordsPattern = /^(?=.{1,32}$)[a-z]+(?:[-_][a-z]+)*$/

/** Maximum number of header fields in a request. */
const headerCountMax = 100

const hostPattern = /^(?:[A-Za-z0-9\-._~]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
// RFC 9110, 8.3.1. Parsers disagree on anything looser.
const mediaTypePattern =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[^"\\]*"))*$/

const tooMany: Refusal = {
  code: 'HEADERS_TOO_LARGE',
  detail: `The request has more than ${headerCountMax} header fields.`,
}
const hostInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'Send one Host header: a name or address, with an optional port.',
}
const mediaTypeInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'The Content-Type header is not a media type.',
}

/**
 * Refuses requests whose header block is ambiguous or asks for something the
 * gateway does not support.
 */
export const headers: Judge<Call> = (call, next) => {
  next(refuseVersion(call.request.httpVersion) ?? refuseFields(call.fields) ?? call)
}

function refuseVersion(version: string): Refusal | undefined {
  if (version === '1.1' || version === '1.0') return undefined
  if (version.startsWith('1.') || version.startsWith('0.')) {
    return { code: 'FRAMING_INVALID', detail: 'The request line must name HTTP/1.1.' }
  }
  return { code: 'HTTP_VERSION' }
}

function refuseFields({ count, special, host }: RequestFields): Refusal | undefined {
  if (count > headerCountMax) return tooMany
  let seen = 0
  for (const field of special) {
    const refusal = refuseField(field, seen)
    if (refusal !== undefined) return refusal
    seen |= field.name.singleton
  }
  return host === undefined ? hostInvalid : undefined
}

function refuseField({ name, value }: SpecialField, seen: number): Refusal | undefined {
  if (name.hasUnderscore) return underscored(name.folded)
  if ((seen & name.singleton) !== 0) {
    return { code: 'HEADERS_INVALID', detail: `Send the header ${name.folded} only once.` }
  }
  switch (name.folded) {
    case 'host':
      return hostPattern.test(value) ? undefined : hostInvalid
    case 'upgrade':
      return { code: 'UPGRADE_REFUSED' }
    case 'content-type':
      return mediaTypePattern.test(value) ? undefined : mediaTypeInvalid
    case 'expect':
      return value.toLowerCase() === '100-continue' ? undefined : { code: 'EXPECTATION_FAILED' }
    case 'via':
      return value.toLowerCase().includes(via) ? { code: 'LOOP' } : undefined
    default:
      return undefined
  }
}

/** Many servers turn "-" into "_", so a name with an underscore can imitate a field that the gateway sets. */
function underscored(name: string): Refusal {
  const named = wordsPattern.test(name) ? `: ${name}` : ''
  return { code: 'HEADERS_INVALID', detail: `Header names must not contain underscores${named}.` }
}
