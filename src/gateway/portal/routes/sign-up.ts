import { linkInvalid } from '../accounts/link-invalid.ts'
import { refuseWeakPassword } from '../accounts/password-weakness.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import { SignUp, Verification } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

/** Becoming a developer, for anybody. What is answered is the same for a known address. */
export function registerSignUp(
  app: PortalApp,
  {
    stores,
    passwords,
    attempts,
    mails,
  }: Pick<PortalServices, 'stores' | 'passwords' | 'attempts' | 'mails'>,
): void {
  /** @throws {PortalError} SIGN_UP_CLOSED */
  async function openMode(): Promise<'open' | 'approval'> {
    const mode = await stores.portalState.signUpMode()
    if (mode !== 'off') return mode
    throw new PortalError({
      code: 'SIGN_UP_CLOSED',
      detail: 'The operator accepts no new accounts at the moment.',
    })
  }

  app.post(
    '/api/developers',
    {
      schema: {
        operationId: 'signUp',
        summary: 'Ask for an account: a mail with a link goes to the address',
        tag: 'Account',
        body: SignUp,
        response: { 202: Empty },
        problems: ['SIGN_UP_CLOSED', 'ATTEMPTS_EXCEEDED'],
      },
    },
    async (request, reply) => {
      const { email, name } = request.body
      await openMode()
      await attempts.mail(request.raw, email)
      await stores.signUps.request({
        email,
        name,
        post: (trx, to, token) => {
          const letter = token === undefined ? knownAddress : ({ kind: 'sign-up', token } as const)
          return mails.outbox.post(trx, letter, to)
        },
      })
      reply.code(202)
      return null
    },
  )

  app.post(
    '/api/developers/verify',
    {
      schema: {
        operationId: 'verifySignUp',
        summary: 'Use the link of the mail and set the password; then sign in',
        tag: 'Account',
        body: Verification,
        response: { 204: Empty },
        problems: ['LINK_INVALID', 'SIGN_UP_CLOSED', 'OVERLOADED'],
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const link = await stores.mailTokens.find('sign-up', token)
      if (link === undefined) throw linkInvalid()
      // Before the link is used up: whoever chose badly may choose again.
      refuseWeakPassword(password, { email: link.email, name: link.name ?? '' })
      const isApproved = (await openMode()) === 'open'
      const passwordHash = await passwords.hash(password)
      if (!(await stores.signUps.complete({ token, passwordHash, isApproved }))) throw linkInvalid()
      reply.code(204)
      return null
    },
  )
}

const knownAddress = { kind: 'known-address' } as const
