import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../../platform/http/loopback.ts'

/**
 * Creates the hook that leads browsers from 127.0.0.1 and [::1] to `localhost`, if
 * that is the portal's name: the session's cookie belongs to it, and browsers offer
 * no passkeys on an address without a name.
 */
export function createToLocalName(portalUrl: () => string) {
  return async ({ headers, hostname, url }: FastifyRequest, reply: FastifyReply) => {
    const name = new URL(portalUrl()).hostname
    if (name !== 'localhost' || hostname.toLowerCase() === name || !isLoopback(hostname)) return
    // Programs and checks of the process keep the address that they were given.
    if (headers.accept?.includes('text/html') !== true) return
    return reply.redirect(`${portalUrl()}${url}`, 307)
  }
}
