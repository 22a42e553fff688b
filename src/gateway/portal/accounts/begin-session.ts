import type { FastifyRequest } from 'fastify'
import type { Sessions, SignInProof } from '../../registry/sessions.ts'
import type { PortalServices } from '../services.ts'

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
  proof: SignInProof,
): Promise<boolean> {
  await request.session.regenerate()
  const { sessionId: id } = request.session
  const agent = request.headers['user-agent'] ?? ''
  if (!(await sessions.begin({ id, agent, ...proof }))) return false
  // The plugin sets the cookie of the saved session, even if the proxy in front does not use TLS to reach the portal.
  await request.session.save()
  return true
}

/** {@link beginSession} for a person who came without one: counts and records the sign-in. */
export async function beginSignIn(
  services: Pick<PortalServices, 'stores' | 'metrics' | 'events' | 'circumstances'>,
  request: FastifyRequest,
  proof: SignInProof,
): Promise<boolean> {
  const { stores, metrics, events, circumstances } = services
  if (!(await beginSession(stores.sessions, request, proof))) return false
  const { developerId, factor } = proof
  metrics.countSignIn('signed-in', factor === 'oidc' ? 'oidc' : 'password')
  events.record({
    ...circumstances(request),
    event: 'sign-in.accepted',
    actor: `developer:${developerId}`,
    detail: { factor: factor ?? 'none' },
  })
  return true
}
