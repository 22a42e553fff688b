import { linkInvalid } from '../accounts/link-invalid.ts'
import { refuseWeakPassword } from '../accounts/password-weakness.ts'
import type { PortalApp } from '../portal-app.ts'
import { PasswordReset, Verification } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

/** Resets a password by mail, without a session. An unknown address gets the same answer. */
export function registerPasswordResets(
  app: PortalApp,
  {
    stores,
    passwords,
    attempts,
    mails,
    now,
  }: Pick<PortalServices, 'stores' | 'passwords' | 'attempts' | 'mails' | 'now'>,
): void {
  app.post(
    '/api/password-resets',
    {
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Request a link to set a new password',
        tag: 'Account',
        body: PasswordReset,
        response: { 202: Empty },
        problems: ['ATTEMPTS_EXCEEDED'],
      },
    },
    async (request, reply) => {
      const { email } = request.body
      await attempts.reset(request.raw, email)
      await stores.passwordResets.request({
        email,
        post: (trx, to, token) => mails.outbox.post(trx, { kind: 'password-reset', token }, to),
      })
      reply.code(202)
      return null
    },
  )

  app.post(
    '/api/password-resets/confirm',
    {
      schema: {
        operationId: 'confirmPasswordReset',
        summary: 'Set a new password with the token of the link; ends every session',
        tag: 'Account',
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
      refuseWeakPassword(password, owner)
      const isSet = await stores.passwordResets.complete({
        token,
        passwordHash: await passwords.hash(password),
        post: (trx, to) =>
          mails.outbox.post(trx, { kind: 'password-changed', at: new Date(now()) }, to),
      })
      if (!isSet) throw linkInvalid()
      reply.code(204)
      return null
    },
  )
}
