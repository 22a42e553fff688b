// This folder has a file for each check, and `../check-table.ts` their order; this is the first. A check adds what it
// found and passes the call on, or ends it with a refusal. It never answers the client itself.

import { canonicalPath } from '../../../catalogue/path-spelling.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { Call, Target, TargetedCall } from '../call.ts'
import type { Check } from '../run-checks.ts'

/** The target of an OPTIONS request about the server itself (RFC 9112, 3.2.4); only OPTIONS may use it. */
export const wholeGateway = '*'

/** Maximum octets of a query. */
export const queryBytesMax = 8192
/** Maximum characters of a path: room for three parameters of full length. */
const pathLengthMax = 2048

// RFC 3986, 3.4: pchar, "/" and "?".
const legalQuery = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/
const absoluteForm = /^https?:\/\/([^/?#]*)([/?].*)?$/i

const notCanonical: Refusal = {
  code: 'TARGET_INVALID',
  detail:
    'Send the path as published, with single slashes and no ".." segment. Percent-encode values of parameters in UTF-8; they may not contain "/", "\\", ";", "?", "#", "%" or invisible characters, encoded or not.',
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
 * Splits the target and refuses every path that servers could read in two
 * ways, before anything is derived from it. Accepts origin-form; absolute-form
 * (RFC 9112, 3.2.2) only with the authority of the Host header; asterisk-form
 * only with OPTIONS.
 */
export const target: Check<Call, TargetedCall> = (call, next) => {
  if (call.target === wholeGateway && call.request.method === 'OPTIONS') {
    next(call.targeted({ path: wholeGateway, writtenPath: wholeGateway, query: '' }))
    return
  }
  const parsed = parseTarget(call.target, call.fields.host)
  next('code' in parsed ? parsed : call.targeted(parsed))
}

/** Splits a request target; the query keeps its question mark. */
function parseTarget(target: string, host: string | undefined): Target | Refusal {
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
  const writtenPath = mark === -1 ? origin : origin.slice(0, mark)
  if (writtenPath.length > pathLengthMax) return pathTooLong
  const path = canonicalPath(writtenPath)
  if (path === undefined) return notCanonical
  if (mark === -1) return { path, writtenPath, query: '' }
  const query = origin.slice(mark)
  if (query.length > queryBytesMax + 1) return queryTooLong
  if (!legalQuery.test(query.slice(1))) return queryNotLegal
  return { path, writtenPath, query }
}
