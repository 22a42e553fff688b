import { packCatalogue } from '../catalogue/transferred-catalogue.ts'
import { embeddedIdentityKey } from '../gateway/edge/identity.ts'
import type { Published } from '../gateway/edge/published.ts'
import { embeddedRecordsPerSecond } from '../gateway/open-recording.ts'
import { openSecret } from '../gateway/open-secret.ts'
import { embeddedPepper } from '../gateway/registry/key-mac.ts'
import type { DataFolder } from '../platform/data-folder.ts'
import { freePort } from '../platform/free-port.ts'
import type { Settings } from '../platform/settings.ts'
import type { PublishedMessage } from './messages.ts'

/** A configuration in force, ready to travel. */
export function transferred({ catalogue, generation }: Published): PublishedMessage {
  return { catalogue: packCatalogue(catalogue), generation }
}

/**
 * The settings of each worker: secrets opened, one port for all, and its part
 * of what one process would allow. A part is rounded up: the whole may be
 * exceeded by less than there are workers, and no part is nothing.
 */
export async function workerSettings(
  settings: Settings,
  dataFolder: DataFolder | undefined,
): Promise<Settings> {
  const part = (whole: number): number => Math.ceil(whole / settings.gatewayWorkers)
  return {
    ...settings,
    // One that replaces another must find the same.
    gateway: { ...settings.gateway, port: await freePort(settings.gateway) },
    connectionsMax: part(settings.connectionsMax),
    connectionsPerAddress: part(settings.connectionsPerAddress),
    authFailuresPerMinute: part(settings.authFailuresPerMinute),
    keyPepper: await openSecret(settings.keyPepper, dataFolder, embeddedPepper),
    identityPrivateKey: await openSecret(
      settings.identityPrivateKey,
      dataFolder,
      embeddedIdentityKey,
    ),
  }
}

/** The call records each process that takes calls writes in a second; undefined: as many as usual. */
export function recordsPerSecond(settings: Settings): number | undefined {
  if (settings.databaseUrl !== undefined) return undefined
  return Math.ceil(embeddedRecordsPerSecond / settings.gatewayWorkers)
}
