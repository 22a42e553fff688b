import type { Registry as MetricsRegistry } from 'prom-client'
import { createClientAddress } from '../../platform/client-address.ts'
import type { Database } from '../../platform/database.ts'
import type { Lifetime } from '../../platform/lifetime.ts'
import { closeListeners, listen } from '../../platform/listen.ts'
import type { Logger } from '../../platform/log.ts'
import { createNetworks } from '../../platform/networks.ts'
import type { Settings } from '../../platform/settings.ts'
import { createPortal } from './create-portal.ts'
import { openMails } from './mail/open-mails.ts'
import { openPage } from './pages/open-page.ts'
import { derivePortalSecrets } from './portal-secrets.ts'
import type { PortalServices } from './services.ts'

export interface PortalRoleOptions {
  readonly settings: Settings
  readonly services: Omit<
    PortalServices,
    'onError' | 'now' | 'secrets' | 'mails' | 'page' | 'clientAddress' | 'writesMailsToFiles'
  >
  /** At least 32 characters, the same in all portal processes. */
  readonly sessionSecret: string
  readonly database: Database
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** Starts the portal role. @returns the origin of its listener */
export async function startPortal(options: PortalRoleOptions): Promise<string> {
  const { settings, services, log, lifetime } = options
  const page = await openPage({ log })
  const secrets = derivePortalSecrets(options.sessionSecret)
  const mails = await openMails({ ...options, secrets, portalUrl: services.portalUrl })
  const portal = createPortal({
    ...services,
    secrets,
    mails,
    page,
    clientAddress: createClientAddress(createNetworks(settings.trustedProxies)),
    writesMailsToFiles: settings.smtpUrl === undefined,
    now: Date.now,
    onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
  })
  lifetime.opened(() => closeListeners([portal], () => portal.close()))
  return listen(portal, 'PORTAL', settings.portal, options.isEnding)
}
