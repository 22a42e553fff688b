import type { FastifyRequest } from 'fastify'
import { sameOrigins } from '../../platform/http/same-origins.ts'
import { PortalError } from './portal-error.ts'

/**
 * Creates the check that rejects requests which another site made a browser send, including sign-in. For every method
 * except GET and HEAD, Origin, if sent, must be the portal's own, and Sec-Fetch-Site, if sent, must be same-origin or none.
 * Browsers send Origin with these methods; a client without it is not a browser and holds no developer's cookies.
 *
 * @throws {PortalError} CROSS_SITE (the returned check)
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
