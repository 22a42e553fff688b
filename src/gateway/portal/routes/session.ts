import type { ErrorCode } from '../../../platform/errors.ts'
import { beginSession } from '../accounts/begin-session.ts'
import { sessionCookie } from '../accounts/carry-sessions.ts'
import { checkPassword, credentialsInvalid } from '../accounts/check-password.ts'
import { sessionAnswer } from '../accounts/session-answer.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import type { SignInResult } from '../portal-metrics.ts'
import { actorOf, signedIn } from '../request.ts'
import { Session, SignIn } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

/** Sign-in and sign-out, with or without a session. */
export function registerSignIn(
  app: PortalApp,
  services: Pick<
    PortalServices,
    'portalUrl' | 'stores' | 'passwords' | 'attempts' | 'mails' | 'metrics'
  >,
): void {
  const { stores, metrics } = services
  const { name } = sessionCookie(services.portalUrl())

  app.post(
    '/api/session',
    {
      schema: {
        operationId: 'signIn',
        summary: 'Sign in; the response sets the cookie of a new session',
        tag: 'Account',
        body: SignIn,
        response: { 200: Session },
        problems: [
          'CREDENTIALS_INVALID',
          'APPROVAL_PENDING',
          'DEVELOPER_SUSPENDED',
          'ATTEMPTS_EXCEEDED',
          'OVERLOADED',
        ],
      },
      errorHandler(error) {
        const code = error instanceof PortalError ? error.refusal.code : undefined
        const result = code === undefined ? undefined : signInResults[code]
        if (result !== undefined) metrics.countSignIn(result)
        throw error
      },
    },
    async (request) => {
      const found = await checkPassword(services, request, request.body)
      if (found.isSuspended || !found.isApproved) {
        await stores.credentials.forgive(found.developerId)
        throw notAdmitted(found)
      }
      if (!(await beginSession(stores.sessions, request, found))) throw credentialsInvalid()
      metrics.countSignIn('signed-in')
      return sessionAnswer(stores.profiles, await stores.sessions.find(request.session.sessionId))
    },
  )

  app.delete(
    '/api/session',
    {
      schema: {
        operationId: 'signOut',
        summary: 'Sign out; does nothing without a session',
        tag: 'Account',
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      if (request.session.signIn !== undefined) await request.session.destroy()
      reply.clearCookie(name).code(204)
      return null
    },
  )
}

/** The own session. Needs one. */
export function registerOwnSession(
  app: PortalApp,
  { portalUrl, stores }: Pick<PortalServices, 'portalUrl' | 'stores'>,
): void {
  const { name } = sessionCookie(portalUrl())

  app.get(
    '/api/session',
    {
      schema: {
        operationId: 'getSession',
        summary: 'Read the signed-in developer',
        tag: 'Account',
        response: { 200: Session },
      },
    },
    (request) => sessionAnswer(stores.profiles, request.session.signIn),
  )

  app.delete(
    '/api/sessions',
    {
      schema: {
        operationId: 'signOutEverywhere',
        summary: 'End all your sessions, including this one',
        tag: 'Account',
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await stores.sessions.endAll({ developerId: signedIn(request).id, by: actorOf(request) })
      reply.clearCookie(name).code(204)
      return null
    },
  )
}

/** Only who knows the password learns that. */
function notAdmitted({ isSuspended }: { readonly isSuspended: boolean }): PortalError {
  return isSuspended
    ? new PortalError({
        code: 'DEVELOPER_SUSPENDED',
        detail: 'An operator has suspended this account and all its applications.',
      })
    : new PortalError({
        code: 'APPROVAL_PENDING',
        detail:
          'An operator has to approve this account first. We will email you when you can sign in.',
      })
}

/** By the code of the refusal; what is no attempt at all (cross-site, no such body) counts as none. */
const signInResults: Partial<Record<ErrorCode, SignInResult>> = {
  CREDENTIALS_INVALID: 'refused',
  DEVELOPER_SUSPENDED: 'suspended',
  APPROVAL_PENDING: 'unapproved',
  ATTEMPTS_EXCEEDED: 'throttled',
  OVERLOADED: 'throttled',
}
