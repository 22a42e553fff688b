import { languageOf } from '../../../messages/language.ts'
import { linkInvalid } from '../../accounts/link-invalid.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { TokenUse } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'

/** Confirms a new address with the link sent there; needs no session. */
export function registerEmailChanges(
  app: PortalApp,
  { stores, mails, now }: Needs<'mails' | 'now', 'profiles'>,
): void {
  app.post(
    '/api/email-changes/confirm',
    {
      schema: {
        operationId: 'confirmEmailChange',
        summary: 'Confirm a new address with the token of its link; it replaces the old address',
        body: TokenUse,
        response: { 204: Empty },
        problems: ['LINK_INVALID'],
      },
    },
    async (request) => {
      const isChanged = await stores.profiles.confirmEmail({
        token: request.body.token,
        at: new Date(now()),
        outbox: mails.outbox,
        language: languageOf(request.headers),
      })
      if (!isChanged) throw linkInvalid()
      return null
    },
  )
}
