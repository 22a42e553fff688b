import type { Lifetime } from '../../platform/lifetime.ts'
import { closeListeners, listen } from '../../platform/listen.ts'
import type { Logger } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { createPortal } from './create-portal.ts'
import type { PortalServices } from './services.ts'

export interface PortalRoleOptions {
  readonly settings: Settings
  readonly services: Omit<PortalServices, 'onError' | 'now'>
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** Starts the portal role. @returns the origin of its listener */
export function startPortal(options: PortalRoleOptions): Promise<string> {
  const { settings, services, log, lifetime } = options
  const portal = createPortal({
    ...services,
    now: Date.now,
    onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
  })
  lifetime.opened(() => closeListeners([portal], () => portal.close()))
  return listen(portal, 'PORTAL', settings.portal, options.isEnding)
}
