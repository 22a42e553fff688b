import type { IncomingMessage } from 'node:http'
import { isFromThisMachine } from '../../platform/http/from-this-machine.ts'
import { isLoopback } from '../../platform/http/loopback.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { mailsFolder } from './open-mails.ts'
import { type MailFile, readMailFiles } from './read-mail-files.ts'

/** The portal's own mails, for a person at its machine: trying the portal needs no mail server. */
export interface Mailbox {
  /** Whether a request comes from a browser on this machine. Other clients must not find out that the mailbox exists. */
  isOpenTo(request: IncomingMessage): boolean
  /** The newest mails first, at most 50. */
  list(): Promise<MailFile[]>
}

export type MailboxSettings = Pick<
  Settings,
  'databaseUrl' | 'smtpUrl' | 'portal' | 'portalPublicUrl' | 'trustedProxies'
>

const mailsMax = 50

/**
 * Opens the mailbox if the portal serves this machine alone; undefined
 * otherwise, because the links in mails set passwords.
 *
 * @param folder where mails become files
 */
export function createMailbox(settings: MailboxSettings, folder: string): Mailbox | undefined {
  if (!isOfThisMachine(settings)) return undefined
  return { isOpenTo: isFromThisMachine, list: () => readMailFiles(folder, mailsMax) }
}

/**
 * Where a person finds the mails that no server sends: the mailbox where there
 * is one, else their folder. Undefined when a mail server sends them.
 *
 * @param portalUrl origin of the portal
 */
export function mailsPlace(
  settings: MailboxSettings & Pick<Settings, 'dataDir'>,
  portalUrl: string,
): string | undefined {
  if (settings.smtpUrl !== undefined) return undefined
  return isOfThisMachine(settings) ? `${portalUrl}/mailbox` : mailsFolder(settings.dataDir)
}

function isOfThisMachine(settings: MailboxSettings): boolean {
  const { databaseUrl, smtpUrl, portal, portalPublicUrl, trustedProxies } = settings
  return (
    databaseUrl === undefined &&
    smtpUrl === undefined &&
    isLoopback(portal.host) &&
    (portalPublicUrl === undefined || isLoopback(new URL(portalPublicUrl).hostname)) &&
    trustedProxies.length === 0
  )
}
