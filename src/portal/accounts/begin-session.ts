import type { FastifyRequest } from 'fastify'
import type { Needs } from '../services.ts'
import type { Sessions, SignInProof, UsedFactor } from '../stores/accounts/sessions.ts'

/**
 * Starts a session with a new id for the request and ends the session that the
 * request came with. The response sets the cookie.
 *
 * @param proof what the portal checked of the developer
 * @returns whether it began; false when the proof no longer holds
 */
export async function beginSession(
  sessions: Pick<Sessions, 'begin' | 'end'>,
  request: FastifyRequest,
  proof: SignInProof,
): Promise<boolean> {
  if (request.session.signIn !== undefined) await sessions.end(request.session.sessionId)
  const agent = request.headers['user-agent'] ?? ''
  return underNewId(request, (id) => sessions.begin({ id, agent, ...proof }))
}

/**
 * Records that the developer of the request's session confirmed their identity,
 * and gives the session a new id: a copy of the old one must not gain the rights
 * of the proof. The response sets the cookie.
 *
 * @returns whether the session was still there
 */
export async function proveSession(
  sessions: Pick<Sessions, 'prove'>,
  request: FastifyRequest,
  factor: UsedFactor | null,
): Promise<boolean> {
  const { sessionId: id } = request.session
  return underNewId(request, (newId) => sessions.prove({ id, newId, factor }))
}

/** @param keep stores the session under the id. @returns whether it did */
async function underNewId(
  request: FastifyRequest,
  keep: (id: string) => Promise<boolean>,
): Promise<boolean> {
  await request.session.regenerate()
  if (!(await keep(request.session.sessionId))) return false
  // The plugin sets the cookie of the saved session, even if the proxy in front does not use TLS to reach the portal.
  await request.session.save()
  return true
}

/** {@link beginSession} for a request without a session: counts and records the sign-in. */
export async function beginSignIn(
  services: Needs<'metrics' | 'events' | 'circumstances', 'sessions'>,
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
