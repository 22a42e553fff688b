import type { IncomingMessage } from 'node:http'
import { plainAddress } from '../../platform/http/client-address.ts'
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
  return { isOpenTo: isLocal, list: () => readMailFiles(folder, mailsMax) }
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

/** Fields in which proxies name their client: RFC 7239, RFC 9110 7.6.3, and common names of their own. */
const forwarding = /forwarded|^via$|-ip$|^x-(?:original|envoy)-/

/**
 * A proxy on this machine has a loopback address too, but its header fields or
 * HTTP/1.0, the default of proxies, reveal it. The name in Host defeats DNS
 * rebinding: another site can point its own name here, but the browser still
 * sends that name.
 */
function isLocal({ socket, headers, headersDistinct, httpVersion }: IncomingMessage): boolean {
  const [host = '', ...others] = headersDistinct['host'] ?? []
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host)?.[1] ?? ''
  return (
    isLoopback(plainAddress(socket.remoteAddress ?? '')) &&
    isLoopback(name) &&
    others.length === 0 &&
    httpVersion === '1.1' &&
    !Object.keys(headers).some((field) => forwarding.test(field))
  )
}
