import { languageOf } from '../../../messages/language.ts'
import { rememberDevice } from '../../accounts/known-device.ts'
import { linkInvalid } from '../../accounts/link-invalid.ts'
import { refuseWeakPassword } from '../../accounts/password-weakness.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { PasswordReset, Verification } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'

/** Resets a password by mail, without a session. An unknown address gets the same answer. */
export function registerPasswordResets(
  app: PortalApp,
  services: Needs<
    'passwords' | 'attempts' | 'mails' | 'now' | 'secrets' | 'portalUrl',
    'developers' | 'mailTokens' | 'passwordResets'
  >,
): void {
  const { stores, passwords, attempts, mails, now } = services

  app.post(
    '/api/password-resets',
    {
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Request a link to set a new password',
        body: PasswordReset,
        response: { 202: Empty },
        problems: ['ATTEMPTS_EXCEEDED'],
      },
    },
    async (request) => {
      const { email } = request.body
      await attempts.count('reset', { request: request.raw, email })
      await stores.passwordResets.request({
        email,
        outbox: mails.outbox,
        language: languageOf(request.headers),
      })
      return null
    },
  )

  app.post(
    '/api/password-resets/confirm',
    {
      schema: {
        operationId: 'confirmPasswordReset',
        summary: 'Set a new password with the token of the link; ends every session',
        body: Verification,
        response: { 204: Empty },
        problems: ['LINK_INVALID', 'OVERLOADED'],
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const link = await stores.mailTokens.find('password-reset', token)
      const owner = await stores.developers.find(link?.developerId ?? '')
      if (owner === undefined) throw linkInvalid()
      // Before the link is used up, so that a developer with a weak password can choose another.
      await refuseWeakPassword(password, owner, services.portalUrl())
      const isSet = await stores.passwordResets.complete({
        token,
        passwordHash: await passwords.hash(password, owner.email),
        at: new Date(now()),
        outbox: mails.outbox,
        language: languageOf(request.headers),
      })
      if (!isSet) throw linkInvalid()
      // The owner can sign in here even while strangers try the account.
      rememberDevice(services, { request, reply, email: owner.email })
      return null
    },
  )
}
