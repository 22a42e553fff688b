import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import { operationObject } from '../../catalogue/operation-object.ts'
import type { Check } from './check.ts'
import { allowedTo } from './cross-origin.ts'

/** How long a browser may remember the answer. */
const maxAgeSeconds = '600'

export interface PreflightOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Answers the question a browser asks before the portal's page may call an
 * operation (CORS preflight; Fetch, 4.8): the only OPTIONS that is one. It
 * needs no key and is neither counted nor forwarded. Everything else with that
 * method (of another page, for what is not published, with a body) goes on and
 * is refused by the route. What the browser asks for is never repeated: the
 * lists are those of the document.
 */
export function preflight({ now }: PreflightOptions): Check {
  return (call, next) => {
    const { method } = call.request
    const { requestedMethod: wanted, transferEncoding, contentLength } = call.fields
    if (method !== 'OPTIONS' || call.portalOrigin === undefined || wanted === undefined) {
      next()
      return
    }
    const found = call.published.router.match(wanted, call.path)
    const hasBody = transferEncoding !== undefined || (contentLength ?? '0') !== '0'
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

/** Names of the header fields a call of the operation may bring. */
function acceptedHeaders({ document }: ApiVersion, operation: Operation): string {
  const known = accepted.get(operation)
  if (known !== undefined) return known
  const published = operationObject(document, operation.template, operation.method)
  const declared = published?.parameters.filter((parameter) => parameter.in === 'header') ?? []
  const names = ['X-API-Key', 'Content-Type', ...declared.map(({ name }) => name)].join(', ')
  accepted.set(operation, names)
  return names
}
