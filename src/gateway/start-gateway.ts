import { randomUUID } from 'node:crypto'
import type { Registry as MetricsRegistry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DataFolder } from '../platform/data-folder.ts'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import { closeListeners, listen } from '../platform/listen.ts'
import type { Logger } from '../platform/log.ts'
import type { Probe } from '../platform/management.ts'
import type { Settings } from '../platform/settings.ts'
import { claimCounting } from './counting-claim.ts'
import { createEdge } from './edge/create-edge.ts'
import { createIdentitySigner, embeddedIdentityKey, type IdentitySigner } from './edge/identity.ts'
import { openCounter } from './open-counter.ts'
import { createCallObserver } from './operate/call-observer.ts'
import { createGatewayMetrics } from './operate/metrics.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { embeddedPepper, parsePeppers } from './registry/key-mac.ts'
import { openRegistry, type Registry } from './registry/open-registry.ts'

export interface GatewayRoleOptions {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** The gateway role with its stores open; its listener is bound when the backend has an address. */
export interface GatewayRole {
  readonly publisher: Publisher
  readonly identity: IdentitySigner
  readonly registry: Registry
  readonly probes: readonly Probe[]
  /** @returns the origin of the listener */
  listen(backendUrl: string, portalUrl: () => string): Promise<string>
}

/**
 * Opens everything the data path stands on.
 *
 * @throws named errors: secrets, stores, counters that others do not share
 */
export async function prepareGateway(options: GatewayRoleOptions): Promise<GatewayRole> {
  const { settings, catalogue, dataFolder, database, log, lifetime } = options
  const metrics = createGatewayMetrics(options.metricsRegistry)
  const publisher = createPublisher({ configDir: settings.configDir, catalogue, metrics, log })
  const secrets = await openSecrets(settings, dataFolder)
  const identity = await createIdentitySigner({
    privateKeyPem: secrets.identityPrivateKey,
    audience: settings.identityAudience,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  if (settings.databaseUrl !== undefined) {
    await claimCounting({ database, isShared: settings.redisUrl !== undefined, log, lifetime })
  }
  const counter = await openCounter({ settings, dataFolder, metrics, log, lifetime })
  const registry = await openRegistry({
    database,
    log,
    peppers: parsePeppers(secrets.keyPepper),
    keysPerApplication: settings.keysPerApplication,
    applicationsPerDeveloper: settings.applicationsPerDeveloper,
  })
  lifetime.opened(() => registry.close())
  metrics.watchStore('counters', () => counter.isUp())
  metrics.watchStore('registry', () => registry.isUp())
  registry.onChange('counter', ({ detail }) => {
    // An operator reset it: what this process knows to be empty may be full again.
    const bucket = detail?.['bucket']
    if (bucket !== undefined) counter.forget(bucket)
  })
  registry.onChange('configuration', () => void publisher.reload())

  return {
    publisher,
    identity,
    registry,
    probes: [
      { name: 'counters', isReady: () => counter.isUp(), isRequired: false },
      { name: 'registry', isReady: () => registry.isUp(), isRequired: false },
    ],
    async listen(backendUrl, portalUrl) {
      const monotonic = (): number => performance.now()
      const edge = await createEdge({
        published: publisher.current,
        registry,
        counter,
        identity,
        observer: createCallObserver({ metrics, log, monotonic }),
        backendUrl,
        portalUrl,
        authFailuresPerMinute: settings.authFailuresPerMinute,
        connectionLimits: settings,
        trustedProxies: settings.trustedProxies,
        now: Date.now,
        monotonic,
        randomUUID,
      })
      lifetime.opened(() => closeListeners([edge.app], () => edge.close()))
      return listen(edge.app, 'GATEWAY', settings.gateway, options.isEnding)
    },
  }
}

/** Takes secrets from the settings; what they lack is kept in the data folder. */
async function openSecrets(settings: Settings, dataFolder: DataFolder | undefined) {
  const open = async (
    given: string | undefined,
    kept: { readonly name: string; readonly generate: () => string },
  ): Promise<string> => {
    const secret = given ?? (await dataFolder?.secret(kept.name, kept.generate))
    if (secret === undefined) throw new Error('checkDeployment let a missing secret pass')
    return secret
  }
  return {
    keyPepper: await open(settings.keyPepper, embeddedPepper),
    identityPrivateKey: await open(settings.identityPrivateKey, embeddedIdentityKey),
  }
}
