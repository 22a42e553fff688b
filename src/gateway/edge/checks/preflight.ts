import { type ApiVersion, methods, type Operation } from '../../../catalogue/catalogue.ts'
import { isRetired } from '../../../catalogue/lifecycle.ts'
import { operationObject } from '../../../catalogue/operation-object.ts'
import type { Refusal } from '../../../platform/problem.ts'
import type { Check } from '../check.ts'
import { allowedTo } from '../answer/cross-origin.ts'
import { wholeGateway } from './target.ts'

const bodyInOptions: Refusal = {
  code: 'FRAMING_INVALID',
  detail: 'An OPTIONS request must not have a body.',
}

/** Seconds for which a browser may cache the answer. */
const maxAgeSeconds = '600'

export interface PreflightOptions {
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
export function preflight({ now }: PreflightOptions): Check {
  return (call, next) => {
    const { method } = call.request
    const { requestedMethod: wanted, transferEncoding, contentLength } = call.fields
    const hasBody = transferEncoding !== undefined || (contentLength ?? '0') !== '0'
    if (call.path === wholeGateway) {
      next(hasBody ? bodyInOptions : { status: 204, headers: ['Allow', methods.join(', ')] })
      return
    }
    if (method !== 'OPTIONS' || call.portalOrigin === undefined || wanted === undefined) {
      next()
      return
    }
    const found = call.published.router.match(wanted, call.path)
    if (found.kind !== 'found' || hasBody || isRetired(found.apiVersion.lifecycle, now())) {
      next()
      return
    }
    const { apiVersion, operation } = found
    const here = call.published.router.match(method, call.path)
    const allow = here.kind === 'method-not-allowed' ? here.allow : [operation.method]
    next({
      status: 204,
      headers: [
        ...allowedTo(call.portalOrigin),
        'Access-Control-Allow-Methods',
        allow.join(', '),
        'Access-Control-Allow-Headers',
        acceptedHeaders(apiVersion, operation),
        'Access-Control-Max-Age',
        maxAgeSeconds,
      ],
    })
  }
}

const accepted = new WeakMap<Operation, string>()

/** Names of the header fields that a call of the operation may send. */
function acceptedHeaders({ document }: ApiVersion, operation: Operation): string {
  const known = accepted.get(operation)
  if (known !== undefined) return known
  const published = operationObject(document, operation.template, operation.method)
  const declared = published?.parameters.filter((parameter) => parameter.in === 'header') ?? []
  const names = ['X-API-Key', 'Content-Type', ...declared.map(({ name }) => name)].join(', ')
  accepted.set(operation, names)
  return names
}
