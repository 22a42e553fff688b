import type { FastifyRequest } from 'fastify'
import { proveSession } from '../../accounts/begin-session.ts'
import { type CheckFactorServices, checkFactor } from '../../accounts/check-factor.ts'
import { type CheckPasswordServices, checkPassword } from '../../accounts/check-password.ts'
import { hasFactor, openChallenge } from '../../accounts/open-challenge.ts'
import { sessionAnswer, sessionEnded } from '../../accounts/session-answer.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type { UsedFactor } from '../../stores/accounts/sessions.ts'
import { inputInvalid } from '../portal-error.ts'
import { signedIn, signedInAtProvider } from '../request.ts'
import { Session } from '../schemas/accounts.ts'
import { FactorChallenge, IdentityProof } from '../schemas/factors.ts'

/**
 * Proves again who is signed in, for changes that need a proof from the last ten
 * minutes: with a second factor, or with the password of an account without
 * one. Needs a session.
 */
export function registerStepUp(
  app: PortalApp,
  services: CheckPasswordServices &
    CheckFactorServices &
    Needs<'isFactorRequired', 'profiles' | 'sessions'>,
): void {
  const { stores, events, circumstances } = services

  app.post(
    '/api/session/challenge',
    {
      schema: {
        operationId: 'challengeSession',
        summary: 'Ask how you can prove who you are',
        response: { 200: FactorChallenge },
      },
    },
    async (request): Promise<FactorChallenge> => {
      if (signedInAtProvider(request)) {
        return { token: null, expiresAt: null, methods: ['provider'], passkey: null }
      }
      const developerId = signedIn(request).id
      const factors = await stores.factors.find(developerId)
      if (hasFactor(factors)) {
        return openChallenge(services, { purpose: 'step-up', developerId, factors })
      }
      return { token: null, expiresAt: null, methods: ['password'], passkey: null }
    },
  )

  app.post(
    '/api/session/proof',
    {
      schema: {
        operationId: 'proveSession',
        summary:
          'Prove who you are; changes need a proof from the last ten minutes. The response sets the cookie of a new session id',
        body: IdentityProof,
        response: { 200: Session },
        problems: [
          'CREDENTIALS_INVALID',
          'SECOND_FACTOR_INVALID',
          'CHALLENGE_EXPIRED',
          'ATTEMPTS_EXCEEDED',
          'OVERLOADED',
        ],
      },
    },
    async (request) => {
      if (signedInAtProvider(request)) {
        throw inputInvalid('', 'sent to /api/session/provider: you sign in through the provider')
      }
      const factors = await stores.factors.find(signedIn(request).id)
      const factor = hasFactor(factors)
        ? await provenFactor(request, request.body)
        : await provenPassword(request, request.body)
      const proof = circumstances(request)
      if (!(await proveSession(stores.sessions, request, factor))) throw sessionEnded()
      events.record({
        ...proof,
        event: 'proof.accepted',
        detail: { factor: factor ?? 'none' },
      })
      return sessionAnswer(services, await stores.sessions.find(request.session.sessionId))
    },
  )

  async function provenFactor(
    request: FastifyRequest,
    { token, code, passkey }: IdentityProof,
  ): Promise<UsedFactor> {
    if (token === undefined) throw inputInvalid('/token', 'given: your account has a second factor')
    const { id } = signedIn(request)
    const answer = {
      token,
      ...(code === undefined ? {} : { code }),
      ...(passkey === undefined ? {} : { passkey }),
    }
    return (await checkFactor(services, 'step-up', answer, id)).factor
  }

  async function provenPassword(
    request: FastifyRequest,
    { password }: IdentityProof,
  ): Promise<null> {
    if (password === undefined) {
      throw inputInvalid('/password', 'given: your account has no second factor')
    }
    const { id, email } = signedIn(request)
    const { developerId } = await checkPassword(services, request, {
      email,
      developerId: id,
      password,
    })
    await stores.credentials.forgive(developerId)
    return null
  }
}
