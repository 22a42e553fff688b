import type { Registry as MetricsRegistry } from 'prom-client'
import { createClientAddress } from '../../platform/client-address.ts'
import { limitConnections } from '../../platform/connection-limits.ts'
import type { Database } from '../../platform/database.ts'
import type { Lifetime } from '../../platform/lifetime.ts'
import { closeListeners, listen } from '../../platform/listen.ts'
import type { Logger } from '../../platform/log.ts'
import { createNetworks } from '../../platform/networks.ts'
import type { Settings } from '../../platform/settings.ts'
import { openAttempts } from './accounts/open-attempts.ts'
import { createPasswords } from './accounts/passwords.ts'
import { pruneExpired } from './accounts/prune-expired.ts'
import { createPortal } from './create-portal.ts'
import { openMailJobs } from './mail/mail-jobs.ts'
import { createMailbox } from './mail/mailbox.ts'
import { mailsFolder, openMails } from './mail/open-mails.ts'
import { openPage } from './pages/open-page.ts'
import { createPortalMetrics } from './portal-metrics.ts'
import { derivePortalSecrets } from './portal-secrets.ts'
import { createSandboxBank, type SandboxBankOptions } from './sandbox-bank.ts'
import type { PortalServices } from './services.ts'

export interface PortalRoleOptions {
  readonly settings: Settings
  readonly services: Pick<
    PortalServices,
    'catalogue' | 'portalUrl' | 'gatewayUrl' | 'probedGatewayUrl' | 'stores' | 'counter'
  >
  /** At least 32 characters, the same in all portal processes. */
  readonly sessionSecret: string
  readonly database: Database
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Undefined: the portal offers no sandbox. */
  readonly sandbox: Pick<SandboxBankOptions, 'bankUrl' | 'secret'> | undefined
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** Starts the portal role. @returns the origin of its listener */
export async function startPortal(options: PortalRoleOptions): Promise<string> {
  const { settings, services, log, lifetime } = options
  const secrets = derivePortalSecrets(options.sessionSecret)
  const isProxy = createNetworks(settings.trustedProxies)
  const page = await openPage({ log })
  // After the page, because building it blocks the event loop for longer than a connection may take.
  const attempts = await openAttempts({
    clientAddress: createClientAddress(isProxy),
    key: secrets.attempts,
    redis: settings.redis,
    log,
    lifetime,
  })
  const mails = await openMails({ ...options, secrets, portalUrl: services.portalUrl })
  const { catalogue } = services
  const jobs = await openMailJobs({ ...options, ...mails, catalogue, now: Date.now })
  pruneExpired({ stores: services.stores, log, lifetime })
  const portal = createPortal({
    ...services,
    secrets,
    mails,
    page,
    passwords: createPasswords(),
    attempts,
    sandbox: options.sandbox === undefined ? undefined : createSandboxBank(options.sandbox),
    metrics: createPortalMetrics(options.metricsRegistry),
    writesMailsToFiles: settings.smtpUrl === undefined,
    mailbox: createMailbox(settings, mailsFolder(settings.dataDir)),
    now: Date.now,
    onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
  })
  limitConnections(portal.server, settings, isProxy)
  lifetime.opened(() => closeListeners([portal], () => portal.close()))
  const url = await listen(portal, 'PORTAL', settings.portal, options.isEnding)
  jobs.start()
  return url
}
