import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import { shapeOf } from '../../catalogue/path-template.ts'
import type { Router } from '../../catalogue/router.ts'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'

/** Where a call of an operation of one version ends in another one. */
export type Route =
  | { readonly operation: Operation }
  /** The version has no operation for it. */
  | { readonly code: ErrorCode; readonly status: number }

export interface RouteOptions {
  readonly router: Router
  readonly to: ApiVersion
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Replaces the version in the path of an operation's calls, and looks where the gateway would route them. */
export function routeInVersion(
  { method, segments }: Operation,
  { router, to, nowMs }: RouteOptions,
): Route {
  if (isRetired(to.lifecycle, nowMs)) return refusal('VERSION_RETIRED')
  // The value of a parameter is `{}`: no literal of a path has braces.
  const path = `${to.prefix}/${segments.map(shapeOf).join('/')}`
  const found = router.match(method, path)
  if (found.kind === 'found') return { operation: found.operation }
  if (found.kind === 'not-found') return refusal('NOT_FOUND')
  return refusal('OPERATION_NOT_IN_VERSION')
}

function refusal(code: ErrorCode): Route {
  return { code, status: errors[code].status }
}
