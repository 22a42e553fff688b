// This folder has a file for each check, and `../check-table.ts` their order; this is the first. A check adds what it
// found and passes the call on, or ends it with a refusal. It never answers the client itself.

import type { Refusal } from '../../../platform/http/problem.ts'
import type { Call, TargetedCall } from '../call.ts'
import type { Check } from '../run-checks.ts'

/** The target of an OPTIONS request about the server itself (RFC 9112, 3.2.4); only OPTIONS may use it. */
export const wholeGateway = '*'

/** Maximum octets of a query. */
export const queryBytesMax = 8192
/** Maximum characters of a path: room for three parameters of full length. */
const pathLengthMax = 2048

// Segments of unreserved characters (RFC 3986, 2.3); no segment is empty, "." or "..". Any character that two
// decoders could read differently (%, ;, \, #, //) is outside this set.
const canonicalPath = /^(?:(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9\-._~]+)+|\/)$/
// RFC 3986, 3.4: pchar, "/" and "?".
const legalQuery = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/
const absoluteForm = /^https?:\/\/([^/?#]*)([/?].*)?$/i

const notCanonical: Refusal = {
  code: 'TARGET_INVALID',
  detail:
    'Send the path as published: segments of letters, digits, "-", ".", "_" and "~" between single slashes, no percent-encoding, no trailing slash.',
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
  detail: `The query is longer than ${queryBytesMax} bytes.`,
}

/**
 * Splits the target and refuses every path that is not canonical, before
 * anything is derived from it. The gateway never repairs a path with two
 * readings. It accepts origin-form; absolute-form (RFC 9112, 3.2.2) only with
 * the authority of the Host header; asterisk-form only with OPTIONS.
 */
export const target: Check<Call, TargetedCall> = (call, next) => {
  if (call.target === wholeGateway && call.request.method === 'OPTIONS') {
    next(call.targeted(wholeGateway, ''))
    return
  }
  const parsed = parseTarget(call.target, call.fields.host)
  next('code' in parsed ? parsed : call.targeted(parsed.path, parsed.query))
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
