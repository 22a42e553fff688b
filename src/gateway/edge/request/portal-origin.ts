import { sameOrigins } from '../../../platform/http/same-origins.ts'

/**
 * Recognises the portal's own page by the `Origin` of a call; on loopback,
 * under any loopback name.
 *
 * @returns the origin to allow; undefined without an `Origin` or for another
 * site's page
 */
export function createPortalOrigin(
  portalUrl: () => string,
): (origin: string | undefined) => string | undefined {
  let url = ''
  let origins: ReadonlySet<string> = new Set()
  return (origin) => {
    if (origin === undefined) return undefined
    const current = portalUrl()
    if (current !== url) {
      origins = sameOrigins(current)
      url = current
    }
    return origins.has(origin) ? origin : undefined
  }
}
