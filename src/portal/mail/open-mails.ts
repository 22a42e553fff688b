// This folder writes and sends the portal's emails. A letter is a kind of email with its facts, without a recipient; a
// mail is a written letter on its way to an address; a digest is one letter about several changes. `letters.ts` lists the
// letters; their words are in `*-letter(s).ts`, drawn by `letter-body.ts`. `outbox.ts` seals a mail into a row in the
// caller's transaction, `deliver.ts` sends the waiting mails over SMTP or writes them into files. The jobs
// (`key-mails.ts`, `deprecation-reminders.ts`) write letters that no request asks for. This file puts the parts
// together.

import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Registry as MetricsRegistry } from 'prom-client'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { PortalSecrets } from '../sealing/portal-secrets.ts'
import { createMailQueue } from '../stores/mail/mail-queue.ts'
import type { PortalSchema } from '../stores/schema.ts'
import { type MailAddress, parseMailAddress } from './compose-mail.ts'
import { startDelivery } from './deliver.ts'
import { createFileTransport } from './file-transport.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { createOptOuts, type OptOuts } from './opt-out.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createSmtpTransport } from './smtp-transport.ts'
import type { MailTransport } from './transport.ts'

/** What the rest of the portal needs to write mails. */
export interface Mails {
  readonly outbox: Outbox
  readonly optOuts: OptOuts
}

export interface MailsOptions {
  readonly settings: Pick<Settings, 'mailFrom' | 'dataDir'>
  /** The current SMTP_URL; undefined: mails become files. */
  readonly smtpUrl: (() => string) | undefined
  readonly database: Database
  readonly secrets: Pick<PortalSecrets, 'mails' | 'optOut'>
  /** The portal's own origin; asked whenever a mail is written. */
  readonly portalUrl: () => string
  /** The current catalogue. (Default: the brand of Tollgate, and ids for names) */
  readonly catalogue?: () => Catalogue
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Between two looks at the outbox. (Default: 2 s; 10 s for an embedded database) */
  readonly pollMs?: number
}

/**
 * Opens the outbox and starts sending the waiting mails: to SMTP_URL, or else
 * into files in `DATA_DIR/outbox`.
 *
 * @throws {OutboxUnusable}
 */
export async function openMails(options: MailsOptions): Promise<Mails> {
  const { secrets, portalUrl, log, lifetime } = options
  const delivery = startDelivery({
    queue: createMailQueue({ db: options.database.connect<PortalSchema>() }),
    key: secrets.mails,
    transport: await openTransport(options),
    // Only a mail server would bounce mails to reserved domains.
    dropsReserved: options.smtpUrl !== undefined,
    metrics: createMailMetrics(options.metricsRegistry),
    log,
    // Only this process writes mails into an embedded database, and it wakes the delivery. Retries may be a little late.
    pollMs: options.pollMs ?? (options.database.onTransaction === undefined ? undefined : 10_000),
  })
  lifetime.opened(() => delivery.close())
  const optOuts = createOptOuts({ key: secrets.optOut })
  const outbox = createOutbox({
    key: secrets.mails,
    optOuts,
    portalUrl,
    catalogue: options.catalogue,
    onPost: () => delivery.wake(),
  })
  return { outbox, optOuts }
}

async function openTransport(options: MailsOptions): Promise<MailTransport> {
  const { smtpUrl, portalUrl, log } = options
  const { mailFrom, dataDir } = options.settings
  const from = mailFrom === undefined ? noReplyAt(portalUrl()) : parseMailAddress(mailFrom)
  if (smtpUrl !== undefined) return createSmtpTransport({ url: smtpUrl, from })
  return createFileTransport({ folder: mailsFolder(dataDir), from, log })
}

/** `no-reply@` the host of the portal; an IP address cannot be a mail domain. */
function noReplyAt(portalUrl: string): MailAddress {
  const { hostname } = new URL(portalUrl)
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
  return { name: '', address: `no-reply@${isAddress ? 'localhost' : hostname}` }
}

/** Where mails become files when there is no SMTP_URL. */
export function mailsFolder(dataDir: string): string {
  return join(dataDir, 'outbox')
}
