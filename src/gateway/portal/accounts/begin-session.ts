import type { FastifyRequest } from 'fastify'
import type { Sessions } from '../../registry/sessions.ts'

/**
 * Starts a session with a new id for the request and ends the session that the
 * request came with. The response sets the cookie.
 *
 * @param proof what was checked to be true of the developer
 * @returns whether it began; not when that is true no more
 */
export async function beginSession(
  sessions: Pick<Sessions, 'begin'>,
  request: FastifyRequest,
  proof: { readonly developerId: string; readonly passwordHash: string },
): Promise<boolean> {
  await request.session.regenerate()
  const { sessionId: id } = request.session
  if (!(await sessions.begin({ id, ...proof }))) return false
  // The plugin sets the cookie of the saved session, even if the proxy in front does not use TLS to reach the portal.
  await request.session.save()
  return true
}
