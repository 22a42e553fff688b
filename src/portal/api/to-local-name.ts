import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../platform/http/from-this-machine.ts'
import { wantsPage } from './routes/pages.ts'

/**
 * Creates the hook that leads browsers on this machine from 127.0.0.1 to
 * `localhost`, if that is the portal's name: the session's cookie belongs to it,
 * and browsers offer no passkeys on an address without a name. A browser behind
 * a tunnel or a proxy stays where it is, because only its own port leads here.
 */
export function createToLocalName(portalUrl: () => string) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const portal = new URL(portalUrl())
    if (portal.hostname !== 'localhost' || !wantsPage(request)) return
    if (!isFromThisMachine(request.raw)) return
    const asked = new URL(`${portal.protocol}//${request.headers.host}`)
    if (asked.hostname === 'localhost' || asked.port !== portal.port) return
    return reply.redirect(`${portal.origin}${request.url}`, 307)
  }
}
