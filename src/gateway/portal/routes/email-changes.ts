import { linkInvalid } from '../accounts/link-invalid.ts'
import type { PortalApp } from '../portal-app.ts'
import { TokenUse } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

/** The link sent to a new address, for whoever reads mails there. */
export function registerEmailChanges(
  app: PortalApp,
  { stores, mails, now }: Pick<PortalServices, 'stores' | 'mails' | 'now'>,
): void {
  app.post(
    '/api/email-changes/confirm',
    {
      schema: {
        operationId: 'confirmEmailChange',
        summary: 'Use the link sent to a new address: it takes the place of the old one',
        tag: 'Account',
        body: TokenUse,
        response: { 204: Empty },
        problems: ['LINK_INVALID'],
      },
    },
    async (request, reply) => {
      const isChanged = await stores.profiles.confirmEmail({
        token: request.body.token,
        post: (trx, to) =>
          mails.outbox.post(trx, { kind: 'address-changed', at: new Date(now()) }, to),
      })
      if (!isChanged) throw linkInvalid()
      reply.code(204)
      return null
    },
  )
}
