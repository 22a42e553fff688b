import { isRetired } from '../../catalogue/lifecycle.ts'
import type { Refusal } from '../../platform/problem.ts'
import type { Check } from './check.ts'
import { exposedHeaders } from './cross-origin.ts'
import { lifecycleHeaders } from './lifecycle-headers.ts'

const parameterLengthMax = 512

export interface RouteOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds the operation. The routes are made from the catalogue, so the route is
 * the operation; what another version has is told apart from what none has.
 */
export function route({ now }: RouteOptions): Check {
  return (call, next) => {
    const found = call.published.router.match(call.request.method ?? '', call.path)
    if (found.kind === 'not-found') {
      next({ code: 'NOT_FOUND' })
      return
    }
    const { apiVersion } = found
    call.versioned(apiVersion)
    call.answerHeaders.push(...lifecycleHeaders(apiVersion, call.path))
    if (isRetired(apiVersion.lifecycle, now())) {
      const { successor } = apiVersion.lifecycle
      next({ code: 'VERSION_RETIRED', members: successor === undefined ? {} : { successor } })
      return
    }
    if (found.kind === 'method-not-allowed') {
      next(methodRefusal(found.allow, found.availableIn, apiVersion.version))
      return
    }
    for (const value of found.parameters) {
      if (value.length > parameterLengthMax) {
        const detail = `A path parameter is longer than ${parameterLengthMax} characters.`
        next({ code: 'TARGET_TOO_LONG', detail })
        return
      }
    }
    if (call.portalOrigin !== undefined) {
      call.answerHeaders.push(...exposedHeaders(apiVersion, found.operation))
    }
    call.routed(found.operation, found.parameters)
    next()
  }
}

function methodRefusal(
  allow: readonly string[],
  availableIn: readonly string[],
  requestedVersion: string,
): Refusal {
  const headers = { allow: allow.join(', ') }
  if (availableIn.length === 0) return { code: 'METHOD_NOT_ALLOWED', headers }
  return {
    code: 'OPERATION_NOT_IN_VERSION',
    detail: `Version ${requestedVersion} does not have this operation; it is available in ${availableIn.join(', ')}.`,
    headers,
    members: { requestedVersion, availableIn },
  }
}
