import { languageOf } from '../../../messages/language.ts'
import { beginSignIn } from '../../accounts/begin-session.ts'
import { rememberDevice } from '../../accounts/known-device.ts'
import { linkInvalid } from '../../accounts/link-invalid.ts'
import { refuseWeakPassword } from '../../accounts/password-weakness.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { inputInvalid, PortalError } from '../portal-error.ts'
import { SignUp, SignUpCompletion } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'

/** Creates developer accounts, without a session. An address that already has an account gets the same response. */
export function registerSignUp(
  app: PortalApp,
  services: Needs<
    | 'catalogue'
    | 'passwords'
    | 'attempts'
    | 'mails'
    | 'metrics'
    | 'events'
    | 'circumstances'
    | 'secrets'
    | 'portalUrl'
    | 'now',
    'mailTokens' | 'portalState' | 'sessions' | 'signUps'
  >,
): void {
  const { stores, passwords, attempts, mails } = services

  /** Returns how developers may sign up. @throws {PortalError} SIGN_UP_CLOSED */
  async function requireOpenSignUp(): Promise<'open' | 'approval'> {
    const mode = await stores.portalState.signUpMode()
    if (mode !== 'off') return mode
    throw new PortalError({
      code: 'SIGN_UP_CLOSED',
      detail: 'The operator does not accept new accounts at the moment.',
    })
  }

  /** Returns the accepted version; undefined if the bank has no terms. @throws {PortalError} INPUT_INVALID */
  function currentTerms(accepted: string | undefined): string | undefined {
    const version = services.catalogue().brand.terms?.version
    if (version !== accepted && version !== undefined) {
      throw inputInvalid('/acceptedTerms', `${version}, the current version of the terms`)
    }
    return version
  }

  app.post(
    '/api/developers',
    {
      schema: {
        operationId: 'signUp',
        summary: 'Request an account; the portal sends a link to the address',
        body: SignUp,
        response: { 202: Empty },
        problems: ['SIGN_UP_CLOSED', 'ATTEMPTS_EXCEEDED'],
      },
    },
    async (request) => {
      const { email, name } = request.body
      await requireOpenSignUp()
      await attempts.count('mail', { request: request.raw, email })
      await stores.signUps.request({
        email,
        name,
        outbox: mails.outbox,
        language: languageOf(request.headers),
      })
      return null
    },
  )

  app.post(
    '/api/developers/verify',
    {
      schema: {
        operationId: 'verifySignUp',
        summary:
          'Set the password with the token of the link, and accept the terms if the bank has any; the response sets the cookie of a new session',
        body: SignUpCompletion,
        response: { 204: Empty },
        problems: ['LINK_INVALID', 'SIGN_UP_CLOSED', 'OVERLOADED'],
      },
    },
    async (request, reply) => {
      const { token, password, acceptedTerms } = request.body
      const link = await stores.mailTokens.find('sign-up', token)
      if (link === undefined) throw linkInvalid()
      // Checked here, not when the link is requested: anyone can type an address, but only its owner can accept the terms.
      const termsVersion = currentTerms(acceptedTerms)
      // Before the link is used up, so that a developer with a weak password can choose another.
      const owner = { email: link.email, name: link.name ?? '' }
      await refuseWeakPassword(password, owner, services.portalUrl())
      const isApproved = (await requireOpenSignUp()) === 'open'
      const passwordHash = await passwords.hash(password, link.email)
      const developerId = await stores.signUps.complete({
        token,
        passwordHash,
        isApproved,
        termsVersion,
        language: languageOf(request.headers),
      })
      if (developerId === undefined) throw linkInvalid()
      // The link proves the address, and the password was just chosen: signing in would check nothing more.
      if (
        isApproved &&
        (await beginSignIn(services, request, { developerId, passwordHash, factor: null }))
      ) {
        rememberDevice(services, { request, reply, email: link.email })
      }
      return null
    },
  )
}
