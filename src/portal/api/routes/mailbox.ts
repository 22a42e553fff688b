import { sameOrigins } from '../../../platform/http/same-origins.ts'
import type { MailFile } from '../../mail/read-mail-files.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { notFound } from '../portal-error.ts'
import { type MailboxBlock, MailboxList, type MailboxMail } from '../schemas/mailbox.ts'

/** What the portal wrote, for a person on its own machine; elsewhere there is no such path. */
export function registerMailbox(
  app: PortalApp,
  { mailbox, portalUrl }: Pick<PortalServices, 'mailbox' | 'portalUrl'>,
): void {
  app.get(
    '/api/mailbox',
    {
      schema: {
        operationId: 'listMails',
        summary: 'List the emails of a portal without a mail server, on its own machine',
        response: { 200: MailboxList },
        problems: ['NOT_FOUND'],
      },
    },
    async (request) => {
      if (mailbox === undefined || !mailbox.isOpenTo(request.raw)) throw notFound()
      const origins = sameOrigins(portalUrl())
      return { items: (await mailbox.list()).map((mail) => shown(mail, origins)) }
    },
  )
}

function shown(mail: MailFile, origins: ReadonlySet<string>): MailboxMail {
  const { id, at, to, subject, text } = mail
  const blocks = text.split('\n\n').map((block) => shownBlock(block, origins))
  return { id, at: at.toISOString(), to, subject, blocks }
}

/**
 * Only the portal's own links become links; their path alone, so that the
 * reader stays at the name they use for this machine.
 */
function shownBlock(block: string, origins: ReadonlySet<string>): MailboxBlock {
  const [, label, address] = /^(.+):\n(https?:\/\/\S+)$/.exec(block) ?? []
  const url = URL.parse(address ?? '')
  if (label === undefined || url === null || !origins.has(url.origin)) return { text: block }
  return { text: label, href: `${url.pathname}${url.search}${url.hash}` }
}
