import { packCatalogue } from '../catalogue/transferred-catalogue.ts'
import type { Addresses } from '../compose/addresses.ts'
import type { Certificates } from '../compose/certificates.ts'
import type { FileSecrets } from '../compose/live-secrets.ts'
import { openSecret } from '../compose/secrets.ts'
import type { Foundation } from '../compose/stores.ts'
import { embeddedIdentityKey } from '../gateway/edge/forward/identity.ts'
import type { Published } from '../gateway/edge/published.ts'
import type { DataFolder } from '../platform/database/data-folder.ts'
import { workerConnections } from '../platform/database/database-connections.ts'
import { freePort } from '../platform/http/free-port.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import { embeddedPepper } from '../registry/keys/key-mac.ts'
import type { PublishedMessage } from './messages.ts'
import { forkWorkers, type Workers, type WorkersOptions } from './workers.ts'

/** Forks the workers, if this process takes calls with more than one; they end with its lifetime. */
export function openWorkers({
  settings,
  roles,
  lifetime,
  ...others
}: Omit<WorkersOptions, 'size' | 'exchangeMs'> & {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly lifetime: Lifetime
}): Workers | undefined {
  if (!roles.has('gateway') || settings.gatewayWorkers === 1) return undefined
  const { gatewayWorkers: size, backendCallMs: exchangeMs } = settings
  const workers = forkWorkers({ ...others, size, exchangeMs })
  // Ends them after a failed startup. At a regular shutdown they have ended by then.
  lifetime.opened(() => workers.close())
  return workers
}

/** Starts the workers; they end before everything that was opened until now. @returns the origin of their listener */
export async function startWorkers(
  workers: Workers,
  options: Pick<Foundation, 'settings' | 'dataFolder' | 'database' | 'lifetime'> & {
    readonly roles: ReadonlySet<Role>
    readonly version: string
    readonly revision: string
    readonly addresses: Addresses
    readonly certificates: Pick<Certificates, 'gateway' | 'upstream' | 'clientTrust'>
    readonly secrets: FileSecrets
    readonly published: Published
  },
): Promise<string> {
  const { settings, dataFolder, database, lifetime, addresses, certificates, secrets } = options
  const { gateway, upstream, clientTrust } = certificates
  gateway?.onChange((pair) => workers.adoptTls({ gateway: pair }))
  upstream?.onChange((credentials) => workers.adoptTls({ upstream: credentials }))
  clientTrust?.onChange(({ contents }) => workers.adoptTls({ clientTrust: contents }))
  secrets.onChange((setting, text) => workers.adoptSecrets({ [setting]: text }))
  lifetime.opened(() => workers.close())
  const ownSettings = await workerSettings(settings, dataFolder)
  return workers.start({
    // Read last: workers that have not started adopt no change.
    tls: {
      gateway: gateway?.current(),
      upstream: upstream?.current(),
      clientTrust: clientTrust?.current().contents,
    },
    secrets: secrets.current(),
    settings: ownSettings,
    databaseUrl: database.url,
    databaseConnections: workerConnections(settings, options.roles),
    version: options.version,
    revision: options.revision,
    backendUrl: addresses.backend(),
    portalUrl: addresses.portal(),
    published: transferred(options.published),
    log: undefined,
  })
}

/** Converts a published configuration into a message. */
export function transferred({ catalogue, generation }: Published): PublishedMessage {
  return { catalogue: packCatalogue(catalogue), generation }
}

/**
 * The settings of each worker: secrets opened, the same port for all, and an
 * equal share of each bound. Shares are rounded up, so none is 0 and together
 * they can exceed the bound by less than the number of workers.
 */
async function workerSettings(
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
