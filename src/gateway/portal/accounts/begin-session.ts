import type { FastifyRequest } from 'fastify'
import type { Sessions } from '../../registry/sessions.ts'

/**
 * Gives a request a session of its own under a new id; the one it came with
 * ends. The answer carries the cookie.
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
  // The plugin sets the cookie of what was saved, whether the proxy before us speaks TLS to us or not.
  await request.session.save()
  return true
}
