import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { deprecationHeader, sunsetHeader } from '../../../catalogue/lifecycle.ts'

const none: readonly string[] = []

/**
 * Header fields that announce the end of a version, alternating names and values:
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and, if the successor has the
 * operation, a `Link` to the same path there (`successor-version`, RFC 5829).
 * Empty for a version with neither date.
 *
 * @param path the canonical path of the call
 * @param availableIn versions that have the operation
 */
export function lifecycleHeaders(
  version: ApiVersion,
  path: string,
  availableIn: readonly string[],
): readonly string[] {
  const { successorPrefix, lifecycle } = version
  const { deprecated, sunset, successor } = lifecycle
  if (deprecated === undefined && sunset === undefined) return none
  const fields: string[] = []
  if (deprecated !== undefined) fields.push('Deprecation', deprecationHeader(deprecated))
  if (sunset !== undefined) fields.push('Sunset', sunsetHeader(sunset))
  if (successor !== undefined && availableIn.includes(successor)) {
    const target = `${successorPrefix}${path.slice(version.prefix.length)}`
    fields.push('Link', `<${target}>; rel="successor-version"`)
  }
  return fields
}
