import type { FastifyRequest } from 'fastify'
import { languageOf } from '../../../messages/language.ts'
import type { Developer } from '../../../registry/applications/developer.ts'
import { beginSignIn } from '../../accounts/begin-session.ts'
import { type CheckPasswordServices, checkPassword } from '../../accounts/check-password.ts'
import { linkInvalid } from '../../accounts/link-invalid.ts'
import { checkNewFactor } from '../../accounts/new-factor.ts'
import { hasFactor, newNonce } from '../../accounts/open-challenge.ts'
import { refuseWeakPassword } from '../../accounts/password-weakness.ts'
import { createRecoveryCodes } from '../../accounts/recovery-codes.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import {
  Enrolment,
  EnrolmentConfirmation,
  EnrolmentStart,
  RecoveryCodes,
} from '../schemas/factors.ts'

/**
 * An operator's first second factor, by the link that `operator add` and
 * `operator reset-factor` print: a password alone must not be enough to become
 * an operator with a factor of one's own. Without a session.
 */
export function registerEnrolments(
  app: PortalApp,
  services: CheckPasswordServices &
    Needs<
      'totp' | 'passkeys' | 'metrics',
      'developers' | 'factorChallenges' | 'factors' | 'mailTokens' | 'sessions'
    >,
): void {
  const { stores, passwords, totp, passkeys, mails, now } = services

  /** @throws {PortalError} LINK_INVALID */
  async function ownerOf(token: string): Promise<Developer> {
    const link = await stores.mailTokens.find('enrolment', token)
    const owner = await stores.developers.find(link?.developerId ?? '')
    if (owner?.isOperator !== true) throw linkInvalid()
    if (hasFactor(await stores.factors.find(owner.id))) throw linkInvalid()
    return owner
  }

  app.post(
    '/api/enrolments',
    {
      schema: {
        operationId: 'startEnrolment',
        summary: 'Read what an enrolment link offers; does not use the link up',
        body: EnrolmentStart,
        response: { 200: Enrolment },
        problems: ['LINK_INVALID'],
      },
    },
    async (request) => {
      const owner = await ownerOf(request.body.token)
      const { id: developerId, email } = owner
      const language = languageOf(request.headers)
      const { sealed, secret, uri } = totp.create({ developerId, email, language })
      const nonce = newNonce()
      const { token: challenge } = await stores.factorChallenges.open({
        purpose: 'enrolment',
        developerId,
        nonce,
        sealedSecret: sealed,
      })
      return {
        email,
        hasPassword: await stores.credentials.hasPassword(developerId),
        challenge,
        secret,
        uri,
        passkey: passkeys.isOffered()
          ? { ...(await passkeys.creationOptions({ ...owner, language }, [], nonce)) }
          : null,
      }
    },
  )

  app.post(
    '/api/enrolments/confirm',
    {
      schema: {
        operationId: 'confirmEnrolment',
        summary:
          'Use an enrolment link: the password, or a first one, and a code or a passkey; the response sets the cookie',
        body: EnrolmentConfirmation,
        response: { 200: RecoveryCodes },
        problems: [
          'LINK_INVALID',
          'CREDENTIALS_INVALID',
          'SECOND_FACTOR_INVALID',
          'CHALLENGE_EXPIRED',
          'ATTEMPTS_EXCEEDED',
          'OVERLOADED',
        ],
      },
    },
    async (request) => {
      const { token, challenge, password, ...answer } = request.body
      const owner = await ownerOf(token)
      const passwordHash = await checkedOrFirst(request, owner, password)
      const answered = { ...answer, token: challenge }
      const factor = await checkNewFactor(services, 'enrolment', owner.id, answered)
      const { codes, hashes } = createRecoveryCodes()
      const isEnrolled = await stores.factors.enrol({
        token,
        password: passwordHash,
        factor,
        recoveryHashes: hashes,
        at: new Date(now()),
        outbox: mails.outbox,
      })
      if (!isEnrolled) throw linkInvalid()
      const hash = 'firstHash' in passwordHash ? passwordHash.firstHash : passwordHash.checkedHash
      const proof = { developerId: owner.id, passwordHash: hash, factor: factor.kind }
      await beginSignIn(services, request, proof)
      return { recoveryCodes: [...codes] }
    },
  )

  async function checkedOrFirst(
    request: FastifyRequest,
    { id: developerId, email, name }: Developer,
    password: string,
  ) {
    if (await stores.credentials.hasPassword(developerId)) {
      const given = { email, developerId, password }
      const { passwordHash } = await checkPassword(services, request, given)
      return { checkedHash: passwordHash }
    }
    await refuseWeakPassword(password, { email, name }, services.portalUrl())
    return { firstHash: await passwords.hash(password, email) }
  }
}
