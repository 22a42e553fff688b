import { Type } from 'typebox'
import { linkInvalid } from '../accounts/link-invalid.ts'
import type { PortalApp } from '../portal-app.ts'
import { OptOut, TokenUse } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

const OneClickParams = Type.Object({ token: Type.String({ description: 'from the mail' }) })

/** Links of mails that ask for nothing else, for whoever holds the mail. */
export function registerMailLinks(
  app: PortalApp,
  { stores, mails, now }: Pick<PortalServices, 'stores' | 'mails' | 'now'>,
): void {
  /** @throws {PortalError} LINK_INVALID */
  async function optOut(token: string): Promise<void> {
    const wish = mails.optOuts.verify(token)
    if (wish === undefined) throw linkInvalid()
    const { developerId, mail } = wish
    await stores.profiles.chooseMails({ developerId, mails: { [mail]: false } })
  }

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

  app.post(
    '/api/mail-opt-outs',
    {
      schema: {
        operationId: 'optOutOfMails',
        summary: 'Get no more mails of the kind the link was in',
        tag: 'Account',
        body: OptOut,
        response: { 204: Empty },
        problems: ['LINK_INVALID'],
      },
    },
    async (request, reply) => {
      await optOut(request.body.token)
      reply.code(204)
      return null
    },
  )

  app.register(oneClick)

  /** What mail programs send by themselves (RFC 8058): a form whose one field says nothing. */
  function oneClick(scope: PortalApp, _options: object, done: () => void): void {
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data']
    scope.addContentTypeParser(forms, { parseAs: 'buffer', bodyLimit: 4096 }, (_, _raw, parsed) =>
      parsed(null, {}),
    )
    scope.post(
      '/api/mail-opt-outs/:token',
      {
        schema: {
          operationId: 'optOutOfMailsByOneClick',
          summary: 'The same for mail programs (RFC 8058)',
          tag: 'Account',
          params: OneClickParams,
          response: { 204: Empty },
          problems: ['LINK_INVALID'],
        },
      },
      async (request, reply) => {
        await optOut(request.params.token)
        reply.code(204)
        return null
      },
    )
    done()
  }
}
