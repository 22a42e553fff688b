import { packCatalogue } from '../catalogue/transferred-catalogue.ts'
import { embeddedIdentityKey } from '../gateway/edge/forward/identity.ts'
import type { Published } from '../gateway/edge/published.ts'
import { embeddedRecordsPerSecond } from '../gateway/open-recording.ts'
import { openSecret } from '../gateway/open-secret.ts'
import { embeddedPepper } from '../gateway/registry/key-mac.ts'
import type { DataFolder } from '../platform/data-folder.ts'
import { freePort } from '../platform/free-port.ts'
import type { Settings } from '../platform/settings.ts'
import type { PublishedMessage } from './messages.ts'

/** Converts a published configuration into a message. */
export function transferred({ catalogue, generation }: Published): PublishedMessage {
  return { catalogue: packCatalogue(catalogue), generation }
}

/**
 * The settings of each worker: secrets opened, the same port for all, and an
 * equal share of each bound. Shares are rounded up, so none is 0 and together
 * they can exceed the bound by less than the number of workers.
 */
export async function workerSettings(
  settings: Settings,
  dataFolder: DataFolder | undefined,
): Promise<Settings> {
  const part = (whole: number): number => Math.ceil(whole / settings.gatewayWorkers)
  return {
    ...settings,
    // A replacement worker must use the same port.
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

/** Call records per second that each process with a data path writes; undefined for the recorder's default. */
export function recordsPerSecond(settings: Settings): number | undefined {
  if (settings.databaseUrl !== undefined) return undefined
  return Math.ceil(embeddedRecordsPerSecond / settings.gatewayWorkers)
}
