import type { Refusal } from '../../platform/problem.ts'
import type { Check } from './check.ts'

/** Octets a query may have. */
export const queryBytesMax = 8192
/** Characters a path may have: room for three parameters of full length. */
const pathLengthMax = 2048

// Segments of unreserved characters (RFC 3986, 2.3), none of them empty, "." or "..". Everything that two
// decoders could read differently (%, ;, \, #, //) is outside this set.
const canonicalPath = /^(?:(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9\-._~]+)+|\/)$/
// RFC 3986, 3.4: pchar, "/" and "?".
const legalQuery = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/
const absoluteForm = /^https?:\/\/([^/?#]*)([/?].*)?$/i

const notCanonical: Refusal = {
  code: 'TARGET_INVALID',
  detail:
    'The path must be the published one: segments of letters, digits, "-", ".", "_" and "~" between single slashes, nothing encoded, no trailing slash.',
}
const queryNotLegal: Refusal = {
  code: 'TARGET_INVALID',
  detail:
    'The query has characters that RFC 3986 does not allow unencoded, or an incomplete percent-encoding.',
}
const foreignAuthority: Refusal = {
  code: 'TARGET_INVALID',
  detail: 'A target in absolute form must name the same authority as the Host header.',
}
const pathTooLong: Refusal = {
  code: 'TARGET_TOO_LONG',
  detail: `The path is longer than ${pathLengthMax} characters.`,
}
const queryTooLong: Refusal = {
  code: 'TARGET_TOO_LONG',
  detail: `The query is longer than ${queryBytesMax} octets.`,
}

/**
 * Takes the target apart and refuses every path that is not canonical, before
 * anything is derived from it: a path that can be read in two ways is never
 * repaired. Origin-form; absolute-form (RFC 9112, 3.2.2) only with the
 * authority of the Host header.
 */
export const target: Check = (call, next) => {
  const parsed = parseTarget(call.target, call.fields.host)
  if ('code' in parsed) {
    next(parsed)
    return
  }
  call.targeted(parsed.path, parsed.query)
  next()
}

/** Splits a request target; the query keeps its question mark. */
export function parseTarget(
  target: string,
  host: string | undefined,
): { readonly path: string; readonly query: string } | Refusal {
  let origin = target
  if (!origin.startsWith('/')) {
    const absolute = absoluteForm.exec(target)
    if (absolute === null) return notCanonical
    if (host === undefined || absolute[1]?.toLowerCase() !== host.toLowerCase()) {
      return foreignAuthority
    }
    origin = absolute[2] ?? '/'
  }
  const mark = origin.indexOf('?')
  const path = mark === -1 ? origin : origin.slice(0, mark)
  if (path.length > pathLengthMax) return pathTooLong
  if (!canonicalPath.test(path)) return notCanonical
  if (mark === -1) return { path, query: '' }
  const query = origin.slice(mark)
  if (query.length > queryBytesMax + 1) return queryTooLong
  if (!legalQuery.test(query.slice(1))) return queryNotLegal
  return { path, query }
}
