import type { FastifyRequest } from 'fastify'
import { beginSession } from '../accounts/begin-session.ts'
import { sessionCookie } from '../accounts/carry-sessions.ts'
import { checkPassword, credentialsInvalid } from '../accounts/check-password.ts'
import { refuseWeakPassword } from '../accounts/password-weakness.ts'
import { profileAnswer, sessionEnded } from '../accounts/session-answer.ts'
import type { PortalApp } from '../portal-app.ts'
import { actorOf, signedIn } from '../request.ts'
import { AccountDeletion, Developer, MailPreferences, ProfileChange } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

/** What developers change about themselves. Needs a session. */
export function registerProfile(
  app: PortalApp,
  services: Pick<
    PortalServices,
    'portalUrl' | 'stores' | 'passwords' | 'attempts' | 'mails' | 'now'
  >,
): void {
  const { stores, passwords, attempts, mails, now } = services
  const { name: cookieName } = sessionCookie(services.portalUrl())

  function checkCurrent(request: FastifyRequest, password: string) {
    const { id, email } = signedIn(request)
    return checkPassword(services, request, { email, developerId: id, password })
  }

  async function ownProfile(request: FastifyRequest): Promise<Developer> {
    const profile = await stores.profiles.find(signedIn(request).id)
    if (profile === undefined) throw sessionEnded()
    return profileAnswer(profile)
  }

  app.patch(
    '/api/session/developer',
    {
      schema: {
        operationId: 'changeProfile',
        summary:
          'Change your name, password (ends other sessions) or address (applies once you open the link sent there)',
        tag: 'Account',
        body: ProfileChange,
        response: { 200: Developer },
        problems: ['CREDENTIALS_INVALID', 'ATTEMPTS_EXCEEDED', 'OVERLOADED'],
      },
    },
    async (request) => {
      const { currentPassword, name, email, password } = request.body
      const developer = signedIn(request)
      const { passwordHash: checkedHash } = await checkCurrent(request, currentPassword)
      if (password !== undefined) {
        refuseWeakPassword(password, { email: developer.email, name: name ?? developer.name })
      }
      if (email !== undefined) await attempts.mail(request.raw, email)
      const passwordHash = password === undefined ? undefined : await passwords.hash(password)
      const isChanged = await stores.profiles.change({
        developerId: developer.id,
        checkedHash,
        name,
        passwordHash,
        email,
        postPassword: (trx, to) =>
          mails.outbox.post(trx, { kind: 'password-changed', at: new Date(now()) }, to),
        postLink: (trx, to, token) =>
          mails.outbox.post(
            trx,
            token === undefined ? { kind: 'known-address' } : { kind: 'email-change', token },
            to,
          ),
      })
      if (!isChanged) throw credentialsInvalid()
      if (passwordHash !== undefined) {
        const proof = { developerId: developer.id, passwordHash }
        if (!(await beginSession(stores.sessions, request, proof))) throw sessionEnded()
      }
      return ownProfile(request)
    },
  )

  app.put(
    '/api/session/developer/mails',
    {
      schema: {
        operationId: 'chooseMails',
        summary: 'Choose which optional emails you get',
        tag: 'Account',
        body: MailPreferences,
        response: { 200: Developer },
      },
    },
    async (request) => {
      await stores.profiles.chooseMails({
        developerId: signedIn(request).id,
        mails: request.body,
      })
      return ownProfile(request)
    },
  )

  app.delete(
    '/api/session/developer',
    {
      schema: {
        operationId: 'deleteAccount',
        summary:
          'Delete your account with all applications, keys and records, at once and permanently',
        tag: 'Account',
        body: AccountDeletion,
        response: { 204: Empty },
        problems: ['CREDENTIALS_INVALID', 'ATTEMPTS_EXCEEDED', 'OVERLOADED'],
      },
    },
    async (request, reply) => {
      const { developerId } = await checkCurrent(request, request.body.currentPassword)
      await stores.developers.delete({ id: developerId, by: actorOf(request) })
      reply.clearCookie(cookieName).code(204)
      return null
    },
  )
}
