import { Type } from 'typebox'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { inputInvalid, PortalError } from '../portal-error.ts'
import { OptOut, OptOutFacts } from '../schemas/accounts.ts'
import { Empty } from '../schemas/common.ts'

const TokenParams = Type.Object({ token: Type.String({ description: 'of the email' }) })

/**
 * Ends a kind of mail for its receiver, without a session: the token names the
 * developer and the kind. Idempotent. The page sends the token as JSON; mail
 * providers send a form (RFC 8058), without Origin and cookies.
 */
export function registerMailOptOuts(
  app: PortalApp,
  {
    mails,
    stores,
    portalUrl,
  }: {
    mails: Pick<PortalServices['mails'], 'optOuts'>
    stores: Pick<PortalServices['stores'], 'profiles'>
    portalUrl: PortalServices['portalUrl']
  },
): void {
  /** @throws {PortalError} LINK_INVALID */
  function verified(token: string) {
    const known = mails.optOuts.verify(token)
    if (known === undefined) throw linkInvalid()
    return known
  }

  async function optOut(token: string): Promise<void> {
    const { developerId, mail } = verified(token)
    await stores.profiles.chooseMails({ developerId, mails: { [mail]: false } })
  }

  app.post(
    '/api/mail-opt-outs',
    {
      schema: {
        operationId: 'optOutOfMails',
        summary: 'Stop a kind of email with the token of its link',
        body: OptOut,
        response: { 204: Empty },
        problems: ['LINK_INVALID'],
      },
    },
    async ({ body }) => {
      await optOut(body.token)
      return null
    },
  )

  app.post(
    '/api/mail-opt-outs/lookup',
    {
      schema: {
        operationId: 'lookUpOptOut',
        summary: 'Look up what the token of a link in an email would stop, and for whom',
        body: OptOut,
        response: { 200: OptOutFacts },
        problems: ['LINK_INVALID'],
      },
    },
    async ({ body }) => {
      const { developerId, mail } = verified(body.token)
      const profile = await stores.profiles.find(developerId)
      if (profile === undefined) throw linkInvalid()
      return { mail, address: maskedAddress(profile.email) }
    },
  )

  // Its own scope: no other route accepts a form.
  app.register((scope: PortalApp, _options, done) => {
    const options = { parseAs: 'string', bodyLimit: 1_024 } as const
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', options, keepText)
    scope.addContentTypeParser('multipart/form-data', options, keepText)

    scope.post(
      '/api/mail-opt-outs/:token',
      {
        schema: {
          operationId: 'optOutByMailProvider',
          summary: 'Stop a kind of email with the one-click form of RFC 8058',
          params: TokenParams,
          response: { 204: Empty },
          problems: ['INPUT_INVALID', 'LINK_INVALID'],
        },
      },
      async ({ body, params }) => {
        if (!isOneClick(body)) throw inputInvalid('', 'the form List-Unsubscribe=One-Click')
        await optOut(params.token)
        return null
      },
    )

    // Programs that do not know RFC 8058 open the address: the page asks first.
    scope.get(
      '/api/mail-opt-outs/:token',
      {
        schema: {
          operationId: 'openOptOut',
          summary: 'Redirect to the page that stops a kind of email',
          params: TokenParams,
          response: { 303: Empty },
        },
      },
      async ({ params }, reply) => {
        const token = encodeURIComponent(params.token)
        reply.redirect(`${portalUrl()}/mails/opt-out#token=${token}`, 303)
        return reply
      },
    )
    done()
  })
}

function linkInvalid(): PortalError {
  return new PortalError({
    code: 'LINK_INVALID',
    detail: 'The link is incomplete or not one of ours. Copy the whole link from the email.',
  })
}

/** Enough for its owner to recognise: `a…@example.com`. */
function maskedAddress(email: string): string {
  const [first = ''] = email
  return `${first}…${email.slice(email.lastIndexOf('@'))}`
}

function keepText(
  _request: unknown,
  text: string,
  done: (error: Error | null, body: string) => void,
): void {
  done(null, text)
}

/** Exactly the one field, as a form of either type writes it. */
function isOneClick(body: unknown): boolean {
  if (typeof body !== 'string') return false
  if (body === 'List-Unsubscribe=One-Click') return true
  return /^--([^\r\n]{1,70})\r\nContent-Disposition: form-data; name="?List-Unsubscribe"?\r\n(?:Content-Type: text\/plain[^\r\n]*\r\n)?\r\nOne-Click\r\n--\1--(?:\r\n)?$/i.test(
    body,
  )
}
