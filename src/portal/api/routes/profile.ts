import type { FastifyRequest } from 'fastify'
import { languageOf } from '../../../messages/language.ts'
import { beginSession } from '../../accounts/begin-session.ts'
import { sessionCookie } from '../../accounts/carry-sessions.ts'
import {
  type CheckPasswordServices,
  checkPassword,
  credentialsInvalid,
} from '../../accounts/check-password.ts'
import { refuseWeakPassword } from '../../accounts/password-weakness.ts'
import { sessionEnded } from '../../accounts/session-answer.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { developerAnswer } from '../answers.ts'
import { conflict, inputInvalid, type PortalError } from '../portal-error.ts'
import { actorOf, signedIn, signedInAtProvider } from '../request.ts'
import {
  AccountDeletion,
  Developer,
  LanguageChoice,
  MailPreferences,
  NameChange,
  ProfileChange,
} from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'

/** What developers change about themselves. Needs a session. */
export function registerProfile(
  app: PortalApp,
  services: CheckPasswordServices & Needs<never, 'developers' | 'profiles' | 'sessions'>,
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
    return developerAnswer(profile)
  }

  app.patch(
    '/api/session/developer',
    {
      schema: {
        operationId: 'changeProfile',
        summary:
          'Change your name, password (ends other sessions) or address (applies once you open the link sent there)',
        body: ProfileChange,
        response: { 200: Developer },
        problems: ['CREDENTIALS_INVALID', 'ATTEMPTS_EXCEEDED', 'OVERLOADED', 'CONFLICT'],
      },
      config: { needsProof: 'with-factor' },
      // Before the body, whose password such an account does not have.
      onRequest: async (request) => {
        if (signedInAtProvider(request)) throw profileAtProvider()
      },
    },
    async (request) => {
      const { currentPassword, name, email, password } = request.body
      const developer = signedIn(request)
      const { passwordHash: checkedHash } = await checkCurrent(request, currentPassword)
      if (password !== undefined) {
        const owner = { email: developer.email, name: name ?? developer.name }
        await refuseWeakPassword(password, owner, services.portalUrl())
      }
      if (email !== undefined) await attempts.count('mail', { request: request.raw, email })
      const passwordHash =
        password === undefined ? undefined : await passwords.hash(password, developer.email)
      const isUpdated = await stores.profiles.update({
        developerId: developer.id,
        checkedHash,
        name,
        passwordHash,
        email,
        at: new Date(now()),
        outbox: mails.outbox,
        language: languageOf(request.headers),
      })
      if (!isUpdated) throw credentialsInvalid(developer.id, 'password.refused')
      if (passwordHash !== undefined) {
        const factor = request.session.signIn?.factor ?? null
        const proof = { developerId: developer.id, passwordHash, factor }
        if (!(await beginSession(stores.sessions, request, proof))) throw sessionEnded()
      }
      return ownProfile(request)
    },
  )

  app.put(
    '/api/session/developer/name',
    {
      schema: {
        operationId: 'changeName',
        summary: 'Change your display name',
        body: NameChange,
        response: { 200: Developer },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      if (signedInAtProvider(request)) throw profileAtProvider()
      const { name } = request.body
      await stores.profiles.rename({ developerId: signedIn(request).id, name })
      return ownProfile(request)
    },
  )

  app.put(
    '/api/session/developer/mails',
    {
      schema: {
        operationId: 'chooseMails',
        summary: 'Choose which optional emails you get',
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

  app.put(
    '/api/session/language',
    {
      schema: {
        operationId: 'chooseLanguage',
        summary: 'Choose the language of emails',
        body: LanguageChoice,
        response: { 200: Developer },
      },
    },
    async (request) => {
      const { language } = request.body
      await stores.profiles.chooseLanguage({ developerId: signedIn(request).id, language })
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
        body: AccountDeletion,
        response: { 204: Empty },
        problems: ['CREDENTIALS_INVALID', 'ATTEMPTS_EXCEEDED', 'OVERLOADED'],
      },
      config: { needsProof: 'with-factor' },
    },
    async (request, reply) => {
      // The provider has just confirmed the identity; there is no password.
      if (!signedInAtProvider(request)) {
        const { currentPassword } = request.body
        if (currentPassword === undefined) throw inputInvalid('/currentPassword', 'given')
        await checkCurrent(request, currentPassword)
      }
      await stores.developers.delete({ id: signedIn(request).id, by: actorOf(request) })
      reply.clearCookie(cookieName)
      return null
    },
  )
}

function profileAtProvider(): PortalError {
  return conflict(
    'profile-at-provider',
    'You sign in through another service. Your name and address come from there, and you change your password there.',
  )
}
