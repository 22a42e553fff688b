import type { Refusal } from '../../platform/problem.ts'
import type { Check } from './check.ts'
import { via } from './forwarded-headers.ts'

/** Header fields a request may have. */
const headerCountMax = 100

const hostPattern = /^(?:[A-Za-z0-9\-._~]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
// RFC 9110, 8.3.1. Anything looser is read differently by different parsers.
const mediaTypePattern =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[^"\\]*"))*$/

// Fields of which a second copy would let two readers see different requests.
const singletons: ReadonlySet<string> = new Set([
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'authorization',
  'expect',
  'x-request-id',
  'consent-id',
  'psu-id',
  'digest',
  'signature',
  'tpp-signature-certificate',
])

const tooMany: Refusal = {
  code: 'HEADERS_TOO_LARGE',
  detail: `The request has more than ${headerCountMax} header fields.`,
}
const hostInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'The Host header must be one name or address with an optional port.',
}

/**
 * Refuses requests whose header block is ambiguous or asks for something the
 * gateway does not do. One pass over the fields as they came, because Node
 * drops or joins doubled ones in its parsed view.
 */
export const headers: Check = (call, next) => {
  const { request } = call
  next(refuseVersion(request.httpVersion) ?? refuseFields(request.rawHeaders))
}

function refuseVersion(version: string): Refusal | undefined {
  if (version === '1.1' || version === '1.0') return undefined
  if (version.startsWith('1.') || version.startsWith('0.')) {
    return { code: 'FRAMING_INVALID', detail: 'The request line must name HTTP/1.1.' }
  }
  return { code: 'HTTP_VERSION' }
}

function refuseFields(raw: readonly string[]): Refusal | undefined {
  if (raw.length > 2 * headerCountMax) return tooMany
  const seen = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    if (name.includes('_')) {
      // Many servers turn "-" into "_", so an underscore can dress up as a header that we set.
      return { code: 'HEADERS_INVALID', detail: 'Header names must not contain underscores.' }
    }
    if (singletons.has(name)) {
      if (seen.has(name)) {
        return { code: 'HEADERS_INVALID', detail: `The header ${name} must be sent once.` }
      }
      seen.add(name)
    }
    const refusal = refuseField(name, raw[at + 1] ?? '')
    if (refusal !== undefined) return refusal
  }
  return seen.has('host') ? undefined : hostInvalid
}

function refuseField(name: string, value: string): Refusal | undefined {
  switch (name) {
    case 'host':
      return hostPattern.test(value) ? undefined : hostInvalid
    case 'upgrade':
      return { code: 'UPGRADE_REFUSED' }
    case 'content-type':
      return mediaTypePattern.test(value)
        ? undefined
        : { code: 'HEADERS_INVALID', detail: 'The Content-Type header is not a media type.' }
    case 'expect':
      return value.toLowerCase() === '100-continue' ? undefined : { code: 'EXPECTATION_FAILED' }
    case 'via':
      return value.toLowerCase().includes(via) ? { code: 'LOOP' } : undefined
    default:
      return undefined
  }
}
