import { type ApiVersion, methods } from '../../../catalogue/catalogue.ts'
import { isRetired } from '../../../catalogue/lifecycle.ts'
import { drillHeader } from '../../../platform/http/drills.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import { preflightHeaders } from '../answer/cross-origin.ts'
import type { TargetedCall } from '../call.ts'
import type { Judge } from '../run-checks.ts'
import { wholeGateway } from './target.ts'

const bodyInOptions: Refusal = {
  code: 'FRAMING_INVALID',
  detail: 'An OPTIONS request must not have a body.',
}

export interface PreflightOptions {
  /** Whether a call of a version may ask for a drill. */
  readonly hasDrills: (version: ApiVersion) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Answers the two kinds of OPTIONS request that the gateway serves. Neither
 * needs a key, is counted or is forwarded. `OPTIONS *` gets the gateway's
 * methods (RFC 9110, 9.3.7). A CORS preflight of the portal's page (Fetch, 4.8)
 * gets the lists from the document, never what the browser asked for. The route
 * check refuses any other OPTIONS request.
 */
export function preflight({ now, hasDrills }: PreflightOptions): Judge<TargetedCall> {
  return (call, next) => {
    const { method } = call.request
    const { requestedMethod: wanted } = call.fields
    const { hasBody } = call
    if (call.path === wholeGateway) {
      next(hasBody ? bodyInOptions : { status: 204, headers: ['Allow', methods.join(', ')] })
      return
    }
    if (method !== 'OPTIONS' || call.portalOrigin === undefined || wanted === undefined) {
      next(call)
      return
    }
    const found = call.published.router.match(wanted, call.path)
    if (found.kind !== 'found' || hasBody || isRetired(found.apiVersion.lifecycle, now())) {
      next(call)
      return
    }
    const { apiVersion, operation } = found
    const here = call.published.router.match(method, call.path)
    const allow = here.kind === 'method-not-allowed' ? here.allow : [operation.method]
    const headers = preflightHeaders(call.portalOrigin, {
      apiVersion,
      operation,
      allow,
      further: hasDrills(apiVersion) ? [drillHeader] : [],
    })
    next({ status: 204, headers })
  }
}
