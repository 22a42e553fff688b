import { isRetired } from '../../../catalogue/lifecycle.ts'
import { nearestPath } from '../../../catalogue/nearest-path.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { RoutedCall, TargetedCall } from '../call.ts'
import type { Check } from '../run-checks.ts'

const parameterLengthMax = 512

export interface RouteOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds the operation. The routes come from the catalogue, so each route is an
 * operation. Its refusals distinguish paths that another version has from
 * unknown paths.
 */
export function route({ now }: RouteOptions): Check<TargetedCall, RoutedCall> {
  return (call, next) => {
    const found = call.published.router.match(call.request.method ?? '', call.path)
    if (found.kind === 'not-found') {
      next(notFound(call))
      return
    }
    const { apiVersion } = found
    const { availableIn } = found.kind === 'found' ? found.operation : found
    call.versioned(apiVersion, availableIn)
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
    next(call.routed(found.operation, found.parameters))
  }
}

function notFound({ published: { catalogue }, path }: TargetedCall): Refusal {
  const nearest = nearestPath(catalogue, path)
  if (nearest !== undefined) {
    const detail = `No published operation has this path. Did you mean ${nearest}?`
    return { code: 'NOT_FOUND', detail, members: { didYouMean: nearest } }
  }
  const prefixes = [...catalogue.versions.values()].map(({ prefix }) => prefix)
  const detail = `No published operation has this path. Published paths begin with ${prefixes.join(', ')}.`
  return { code: 'NOT_FOUND', detail }
}

function methodRefusal(
  allow: readonly string[],
  availableIn: readonly string[],
  requestedVersion: string,
): Refusal {
  const headers = { allow: allow.join(', ') }
  if (availableIn.length === 0) {
    return {
      code: 'METHOD_NOT_ALLOWED',
      detail: `This path has only these methods: ${headers.allow}.`,
      headers,
    }
  }
  return {
    code: 'OPERATION_NOT_IN_VERSION',
    detail: `Version ${requestedVersion} does not have this operation; it is available in ${availableIn.join(', ')}.`,
    headers,
    members: { requestedVersion, availableIn },
  }
}
