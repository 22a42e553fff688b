import type { FastifyRequest } from 'fastify'
import { sameOrigins } from '../../../platform/same-origins.ts'
import { PortalError } from '../portal-error.ts'

/**
 * Makes the check that refuses what a page of another site made a browser
 * send, signing in included: whatever is no GET or HEAD needs the portal's own
 * Origin, and a Sec-Fetch-Site that says the same. Clients that send neither
 * are no browsers, and nobody's cookies are in them.
 *
 * @throws {PortalError} CROSS_SITE, from what it returns
 */
export function createRefuseCrossSite(portalUrl: () => string) {
  return async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    const { origin, 'sec-fetch-site': site } = request.headers
    const isOwnOrigin = origin === undefined || sameOrigins(portalUrl()).has(origin)
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
    if (isOwnOrigin && isOwnSite) return
    throw new PortalError({
      code: 'CROSS_SITE',
      detail: `The portal takes this from its own pages only, at ${portalUrl()}.`,
    })
  }
}
