import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Lifetime } from '../../platform/lifetime.ts'
import { closeListeners, listen } from '../../platform/listen.ts'
import type { Logger } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { createPortal } from './create-portal.ts'

export interface PortalRoleOptions {
  readonly settings: Settings
  /** The catalogue in force. */
  readonly catalogue: () => Catalogue
  readonly portalUrl: () => string
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** Starts the portal role. @returns the origin of its listener */
export function startPortal(options: PortalRoleOptions): Promise<string> {
  const { settings, catalogue, portalUrl, log, lifetime, isEnding } = options
  const portal = createPortal({
    catalogue,
    portalUrl,
    onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
  })
  lifetime.opened(() => closeListeners([portal], () => portal.close()))
  return listen(portal, 'PORTAL', settings.portal, isEnding)
}
