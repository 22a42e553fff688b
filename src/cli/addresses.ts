import { type Addresses, announcedAddresses } from '../platform/database/data-folder.ts'
import { origin } from '../platform/http/listen.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { ListenAddress } from '../platform/settings/settings-reader.ts'

/**
 * Finds the addresses of the installation that these settings lead to: the
 * public ones if they are set; else those of the process that has the embedded
 * database open, because another shell may have set its ports; else those of the
 * listeners. An address whose port only a running process knows is missing.
 */
export async function findAddresses(settings: Settings): Promise<Addresses> {
  const { databaseUrl, dataDir, gatewayPublicUrl, portalPublicUrl, gateway, portal } = settings
  const running = databaseUrl === undefined ? await announcedAddresses(dataDir) : {}
  return {
    gateway: gatewayPublicUrl ?? running.gateway ?? listenerOrigin(gateway),
    portal: portalPublicUrl ?? running.portal ?? listenerOrigin(portal),
  }
}

function listenerOrigin(address: ListenAddress): string | undefined {
  return address.port === 0 ? undefined : origin(address)
}
