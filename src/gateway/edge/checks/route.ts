import { isRetired } from '../../../catalogue/lifecycle.ts'
import { nearestPath } from '../../../catalogue/nearest-path.ts'
import { prefixSegments, spellsLiterals } from '../../../catalogue/path-template.ts'
import type { Found } from '../../../catalogue/router.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { RoutedCall, TargetedCall } from '../call.ts'
import type { Check } from '../run-checks.ts'

/** Maximum characters of a path parameter, as `canonicalPath` spells it. */
const segmentLengthMax = 512

/** With more prefixes, none is named. */
const prefixesShown = 10

const segmentTooLong: Refusal = {
  code: 'TARGET_TOO_LONG',
  detail: `A path parameter is longer than ${segmentLengthMax} characters.`,
}
const literalEncoded: Refusal = {
  code: 'TARGET_INVALID',
  detail:
    'Send the fixed parts of the path as published: only values of path parameters may percent-encode characters that need no encoding.',
}

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
    const { path, availableIn } = found.kind === 'found' ? found.operation : found
    call.matched(apiVersion, path, availableIn)
    if (isRetired(apiVersion.lifecycle, now())) {
      const { successor } = apiVersion.lifecycle
      next({ code: 'VERSION_RETIRED', members: successor === undefined ? {} : { successor } })
      return
    }
    if (found.kind === 'method-not-allowed') {
      next(methodRefusal(found.allow, found.availableIn, apiVersion.version))
      return
    }
    next(unroutable(call, found) ?? call.routed(found.operation))
  }
}

/** What keeps a call from an operation that has its path. */
function unroutable(
  { path, writtenPath }: TargetedCall,
  { apiVersion, operation }: Found,
): Refusal | undefined {
  const isLong = path.length > segmentLengthMax
  if (isLong && path.split('/').some(({ length }) => length > segmentLengthMax)) {
    return segmentTooLong
  }
  if (writtenPath === path) return undefined
  const literals = [...prefixSegments(apiVersion.prefix), ...operation.segments]
  return spellsLiterals(writtenPath.split('/').slice(1), literals) ? undefined : literalEncoded
}

function notFound({ published: { catalogue }, path }: TargetedCall): Refusal {
  const nearest = nearestPath(catalogue, path)
  if (nearest !== undefined) {
    const detail = `No published operation has this path. Did you mean ${nearest}?`
    return { code: 'NOT_FOUND', detail, members: { didYouMean: nearest } }
  }
  const prefixes = new Set([...catalogue.versions.values()].map(({ prefix }) => prefix))
  const shown = [...prefixes].filter((prefix) => prefix !== '').slice(0, prefixesShown)
  const begin =
    prefixes.size === shown.length ? ` Published paths begin with ${shown.join(', ')}.` : ''
  return { code: 'NOT_FOUND', detail: `No published operation has this path.${begin}` }
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
