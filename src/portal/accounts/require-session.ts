import type { FastifyRequest } from 'fastify'
import { notFound, PortalError } from '../api/portal-error.ts'
import { signedIn } from '../api/request.ts'
import type { PortalServices } from '../services.ts'
import { type LiveSession, proofMinutes } from '../stores/accounts/sessions.ts'

/** Accepts a request with a session. @throws {PortalError} SESSION_REQUIRED */
export async function requireSession(request: FastifyRequest): Promise<void> {
  const { signIn } = request.session
  if (signIn !== undefined) {
    request.developer = signIn.developer
    return
  }
  throw new PortalError({ code: 'SESSION_REQUIRED', detail: 'Sign in and repeat the request.' })
}

/**
 * Accepts a request whose developer signed in or confirmed their identity in the
 * last ten minutes, in routes that ask for it. A stolen session alone thus
 * changes nothing for long.
 *
 * @throws {PortalError} STEP_UP_REQUIRED
 */
export async function requireProof(request: FastifyRequest): Promise<void> {
  const { needsProof } = request.routeOptions.config
  const { signIn } = request.session
  if (needsProof === undefined || signIn === undefined || signIn.isProved) return
  // The body has the password, which is all there is to prove.
  if (needsProof === 'with-factor' && signIn.factor === null) return
  throw new PortalError({
    code: 'STEP_UP_REQUIRED',
    detail: `You last confirmed your identity more than ${proofMinutes} minutes ago. Confirm that it is you, then repeat the request.`,
  })
}

/** Whether the developer of a session must add a second factor before anything else. */
export function needsFactor(
  { isFactorRequired }: Pick<PortalServices, 'isFactorRequired'>,
  session: LiveSession | undefined,
): boolean {
  return isFactorRequired && session?.factor === null
}

/**
 * Accepts a developer with a second factor, where every developer needs one.
 * @throws {PortalError} ENROLMENT_REQUIRED, from what it returns
 */
export function createRequireFactor(services: Pick<PortalServices, 'isFactorRequired'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!needsFactor(services, request.session.signIn)) return
    throw new PortalError({
      code: 'ENROLMENT_REQUIRED',
      detail:
        'This portal requires a second factor. Add one in your profile, then repeat the request.',
    })
  }
}

/** Accepts operators; for other developers the path does not exist. @throws {PortalError} NOT_FOUND */
export async function requireOperator(request: FastifyRequest): Promise<void> {
  if (!signedIn(request).isOperator) throw notFound({ event: 'operator.denied' })
}
