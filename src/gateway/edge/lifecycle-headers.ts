import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { deprecationHeader, sunsetHeader } from '../../catalogue/lifecycle.ts'

const none: readonly string[] = []

/**
 * Header fields that announce the end of a version, name and value
 * alternating: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to
 * the same path in the successor (`successor-version`, RFC 5829). Empty for a
 * version that is not deprecated.
 *
 * @param path the canonical path of the call
 */
export function lifecycleHeaders(version: ApiVersion, path: string): readonly string[] {
  const { deprecated, sunset, successor } = version.lifecycle
  if (deprecated === undefined && sunset === undefined) return none
  const fields: string[] = []
  if (deprecated !== undefined) fields.push('Deprecation', deprecationHeader(deprecated))
  if (sunset !== undefined) fields.push('Sunset', sunsetHeader(sunset))
  if (successor !== undefined) {
    fields.push(
      'Link',
      `</v${successor}${path.slice(version.prefix.length)}>; rel="successor-version"`,
    )
  }
  return fields
}
