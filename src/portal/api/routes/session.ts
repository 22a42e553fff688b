import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../../platform/http/errors.ts'
import { beginSignIn } from '../../accounts/begin-session.ts'
import { sessionCookie } from '../../accounts/carry-sessions.ts'
import { type CheckFactorServices, checkFactor } from '../../accounts/check-factor.ts'
import {
  type CheckPasswordServices,
  checkPassword,
  credentialsInvalid,
} from '../../accounts/check-password.ts'
import { rememberDevice } from '../../accounts/known-device.ts'
import { hasFactor, openChallenge } from '../../accounts/open-challenge.ts'
import { sessionAnswer } from '../../accounts/session-answer.ts'
import type { SignInResult } from '../../metrics/portal-metrics.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type { PasswordAttempt } from '../../stores/accounts/credentials.ts'
import type { SignInProof } from '../../stores/accounts/sessions.ts'
import { PortalError } from '../portal-error.ts'
import { signedInAtProvider } from '../request.ts'
import { ProviderAddress, Session, SignIn } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import { FactorAnswer, FactorChallenge } from '../schemas/factors.ts'

/** Sign-in and sign-out, with or without a session. */
export function registerSignIn(
  app: PortalApp,
  services: CheckPasswordServices &
    CheckFactorServices &
    Needs<'metrics' | 'oidc' | 'isFactorRequired', 'profiles' | 'sessions'>,
): void {
  const { stores, metrics, oidc } = services
  const { name } = sessionCookie(services.portalUrl())

  app.post(
    '/api/session',
    {
      schema: {
        operationId: 'signIn',
        summary:
          'Sign in; the response sets the cookie of a new session, or asks for a second factor (202)',
        body: SignIn,
        response: { 200: Session, 202: FactorChallenge },
        problems: [
          'CREDENTIALS_INVALID',
          'APPROVAL_PENDING',
          'ENROLMENT_REQUIRED',
          'DEVELOPER_SUSPENDED',
          'ATTEMPTS_EXCEEDED',
          'OVERLOADED',
        ],
      },
      errorHandler: countRefused,
    },
    async (request, reply) => {
      const found = await checkPassword(services, request, request.body)
      const { developerId, passwordHash } = found
      const factors = await stores.factors.find(developerId)
      const refusal = notAdmitted(found, hasFactor(factors))
      if (refusal !== undefined || hasFactor(factors)) {
        await stores.credentials.forgive(developerId)
      }
      if (refusal !== undefined) throw refusal
      if (hasFactor(factors)) {
        reply.code(202)
        return openChallenge(services, { purpose: 'sign-in', developerId, factors, passwordHash })
      }
      return begin(request, reply, { developerId, passwordHash, factor: null })
    },
  )

  app.post(
    '/api/session/factor',
    {
      schema: {
        operationId: 'finishSignIn',
        summary: 'Finish a sign-in with a second factor; the response sets the cookie',
        body: FactorAnswer,
        response: { 200: Session },
        problems: [
          'SECOND_FACTOR_INVALID',
          'CHALLENGE_EXPIRED',
          'CREDENTIALS_INVALID',
          'ATTEMPTS_EXCEEDED',
        ],
      },
      errorHandler: countRefused,
    },
    async (request, reply) => {
      const passed = await checkFactor(services, 'sign-in', request.body)
      const { developerId, passwordHash, factor } = passed
      if (passwordHash === null) throw new Error('a sign-in without a password')
      return begin(request, reply, { developerId, passwordHash, factor })
    },
  )

  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    proof: SignInProof,
  ): Promise<Session> {
    if (!(await beginSignIn(services, request, proof))) throw credentialsInvalid(proof.developerId)
    const session = await stores.sessions.find(request.session.sessionId)
    const answer = await sessionAnswer(services, session)
    // Not earlier: with a second factor, the right password alone proves nothing.
    rememberDevice(services, { request, reply, email: answer.developer.email })
    return answer
  }

  function countRefused(error: Error): never {
    const code = error instanceof PortalError ? error.refusal.code : undefined
    const result = code === undefined ? undefined : signInResults[code]
    if (result !== undefined) metrics.countSignIn(result)
    throw error
  }

  app.delete(
    '/api/session',
    {
      schema: {
        operationId: 'signOut',
        summary:
          'Sign out; does nothing without a session. A session of the OpenID Connect provider may end there, too (200)',
        response: { 200: ProviderAddress, 204: Empty },
      },
    },
    async (request, reply) => {
      const url = signedInAtProvider(request) ? await oidc?.signOutUrl() : undefined
      if (request.session.signIn !== undefined) {
        await stores.sessions.end(request.session.sessionId)
      }
      reply.clearCookie(name)
      if (url !== undefined) return { url }
      reply.code(204)
      return null
    },
  )
}

/** The own session. Needs one. */
export function registerOwnSession(
  app: PortalApp,
  services: Needs<'isFactorRequired', 'credentials' | 'factors' | 'profiles' | 'sessions'>,
): void {
  app.get(
    '/api/session',
    {
      schema: {
        operationId: 'getSession',
        summary: 'Read the signed-in developer',
        response: { 200: Session },
      },
    },
    (request) => sessionAnswer(services, request.session.signIn),
  )
}

/**
 * Why an account with the right password, or known to the provider, cannot sign in; only a person who knows the password
 * learns that.
 */
export function notAdmitted(
  {
    developerId,
    isSuspended,
    isApproved,
    isOperator,
  }: Pick<PasswordAttempt, 'developerId' | 'isSuspended' | 'isApproved' | 'isOperator'>,
  isEnrolled: boolean,
): PortalError | undefined {
  const fact = { event: 'sign-in.refused', subject: `developer:${developerId}` } as const
  if (isSuspended) {
    return new PortalError(
      {
        code: 'DEVELOPER_SUSPENDED',
        detail: 'An operator has suspended this account and all its applications.',
      },
      { fact: { ...fact, reason: 'suspended' } },
    )
  }
  if (!isApproved) {
    return new PortalError(
      {
        code: 'APPROVAL_PENDING',
        detail:
          'An operator must approve this account first. We will email you when you can sign in.',
      },
      { fact: { ...fact, reason: 'unapproved' } },
    )
  }
  if (!isOperator || isEnrolled) return undefined
  return new PortalError(
    {
      code: 'ENROLMENT_REQUIRED',
      detail:
        'Your account belongs to an operator and has no second factor yet. Ask the person who runs this gateway for an enrolment link.',
    },
    { fact: { ...fact, reason: 'unenrolled' } },
  )
}

/** By the code of the refusal; what is no attempt at all (cross-site, no such body) counts as none. */
export const signInResults: Partial<Record<ErrorCode, SignInResult>> = {
  CREDENTIALS_INVALID: 'refused',
  DEVELOPER_SUSPENDED: 'suspended',
  APPROVAL_PENDING: 'unapproved',
  ENROLMENT_REQUIRED: 'unenrolled',
  PROVIDER_REFUSED: 'refused',
  PROVIDER_UNAVAILABLE: 'unavailable',
  SECOND_FACTOR_INVALID: 'factor-refused',
  CHALLENGE_EXPIRED: 'factor-refused',
  ATTEMPTS_EXCEEDED: 'throttled',
  OVERLOADED: 'throttled',
}
