import type { FastifyRequest } from 'fastify'
import { sameOrigins } from '../../platform/http/same-origins.ts'
import { PortalError } from '../api/portal-error.ts'

/**
 * Creates the check that refuses requests that another site made a browser
 * send, sign-in included: every method but GET and HEAD needs the portal's own
 * Origin and a matching Sec-Fetch-Site. A client that sends neither header is
 * not a browser and holds no developer's cookies.
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
    throw new PortalError(
      {
        code: 'CROSS_SITE',
        detail: `The portal accepts this only from its own pages at ${portalUrl()}.`,
      },
      { fact: { event: 'cross-site.refused', detail: { origin: origin ?? 'none' } } },
    )
  }
}
