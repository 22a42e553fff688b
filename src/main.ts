import { unlink } from 'node:fs/promises'
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { sql } from 'kysely'
import { createBackend } from './backend/create-backend.ts'
import { seedSandbox } from './backend/sandbox/seed.ts'
import { bankMigrations } from './backend/stores/migrations/index.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { loadCatalogue } from './catalogue/load-catalogue.ts'
import { demonstrationText, makeDemonstration } from './first-start.ts'
import { createIdentitySigner, embeddedIdentityKey } from './gateway/edge/identity.ts'
import { controlSocketName, createControl } from './gateway/operate/control.ts'
import { createGatewayMetrics } from './gateway/operate/metrics.ts'
import { createPortal } from './gateway/portal/create-portal.ts'
import { createPublisher, type Publisher } from './gateway/publisher.ts'
import { embeddedPepper, parsePeppers } from './gateway/registry/key-mac.ts'
import { openRegistry } from './gateway/registry/open-registry.ts'
import { createGatewayRole, openCounter } from './gateway/start-gateway.ts'
import { type DataFolder, openDataFolder, socketPathIn } from './platform/data-folder.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { checkDeployment } from './platform/deployment.ts'
import { startEmbeddedDatabase } from './platform/embedded-database.ts'
import { createLifetime, type Lifetime } from './platform/lifetime.ts'
import { closeListeners, freePort, listen, origin } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'
import { createManagement, createMetricsRegistry, type Probe } from './platform/management.ts'
import { migrate } from './platform/migrate.ts'
import type { Role, Settings } from './platform/settings.ts'

/** A running process. */
export interface Tollgate {
  /** The one line of standard output that says all listeners are bound. */
  readonly readyLine: string
  /** What to show on the very first embedded start; undefined later. */
  readonly welcome: string | undefined
  /** Takes the configuration files into force if they are valid; resolves to whether they are. */
  reload(): Promise<boolean>
  /** Says not ready, serves on for `drainSeconds`, stops accepting, lets calls under way finish and closes the stores. */
  close(): Promise<void>
}

export interface TollgateOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly log: Logger
  /** Of the package, for `gateway_build_info`. */
  readonly version: string
}

/**
 * Starts the roles of this process: settings → configuration → stores →
 * listeners. When one step fails, everything opened before it is closed.
 *
 * @throws named errors whose messages are fit for the operator: settings,
 *   configuration, data folder, stores, ports
 */
export async function startTollgate(options: TollgateOptions): Promise<Tollgate> {
  const lifetime = createLifetime()
  try {
    return await start(options, lifetime)
  } catch (error) {
    await lifetime.close().catch((closing: unknown) => {
      options.log.warn({ err: closing }, 'closing after a failed start failed')
    })
    throw error
  }
}

async function start(options: TollgateOptions, lifetime: Lifetime): Promise<Tollgate> {
  const { settings, roles, log } = options
  checkDeployment(settings, roles)
  const catalogue = await loadCatalogue(settings.configDir)
  const dataFolder = await openFolder(settings, lifetime)
  const database = await openStore(settings, dataFolder, log, lifetime)
  const metricsRegistry = createMetricsRegistry(options.version)
  const urls = new Map<string, string>()
  const probes: Probe[] = []
  let isDraining = false
  const isEnding = (): boolean => isDraining
  probes.push({ name: 'accepting', isReady: () => !isDraining, isRequired: true })

  const gateway = roles.has('gateway')
    ? await prepareGateway({
        settings,
        catalogue,
        dataFolder,
        database,
        metricsRegistry,
        log,
        lifetime,
        isEnding,
      })
    : undefined
  if (gateway !== undefined) probes.push(...gateway.probes)

  if (roles.has('backend')) {
    const key =
      gateway === undefined ? remoteKeys(settings) : createLocalJWKSet(gateway.identity.jwks)
    const backend = await startBackend({ settings, catalogue, database, key, log, lifetime })
    for (const [name, url] of backend) urls.set(name, url)
  }
  const publisher: Publisher =
    gateway?.publisher ??
    createPublisher({
      configDir: settings.configDir,
      catalogue,
      metrics: createGatewayMetrics(metricsRegistry),
      log,
    })
  let portalUrl = settings.portalPublicUrl ?? origin(settings.portal)
  if (roles.has('portal')) {
    const portal = createPortal({
      catalogue: () => publisher.current().catalogue,
      portalUrl: () => portalUrl,
      onError: (requestId, err) => log.error({ requestId, err }, 'a portal request failed'),
    })
    lifetime.opened(() => closeListeners([portal], () => portal.close()))
    urls.set('portal', await listen(portal, 'PORTAL', settings.portal, isEnding))
    portalUrl = settings.portalPublicUrl ?? urls.get('portal') ?? portalUrl
  }
  let welcome: string | undefined
  if (gateway !== undefined) {
    const backendUrl = settings.backendUrl ?? urls.get('backend')
    if (backendUrl === undefined) throw new Error('no backend to forward to')
    urls.set('gateway', await gateway.listen(backendUrl, () => portalUrl))
    if (roles.has('backend') && settings.databaseUrl === undefined) {
      const made = await makeDemonstration({
        catalogue,
        stores: gateway.registry,
        database,
        timeZone: settings.bankTimeZone,
      })
      if (made !== undefined) {
        const gatewayUrl = settings.gatewayPublicUrl ?? urls.get('gateway') ?? ''
        welcome = demonstrationText(made, { gateway: gatewayUrl, portal: urls.get('portal') })
      }
    }
  }
  const management = createManagement({
    registry: metricsRegistry,
    probes,
    ...(gateway === undefined ? {} : { jwks: gateway.identity.jwks }),
  })
  // Opened last, closed first would hide the draining; so its end is noted by hand below.
  urls.set('management', await listen(management, 'MANAGEMENT', settings.management))

  return {
    readyLine: readyLine(urls),
    welcome,
    reload: () => publisher.reload(),
    async close() {
      isDraining = true
      await new Promise((resolve) => setTimeout(resolve, settings.drainSeconds * 1000))
      try {
        await lifetime.close()
      } finally {
        await management.close()
      }
    },
  }
}

/** `tollgate ready gateway=… management=… portal=… backend=… sca=…`, only the listeners there are. */
function readyLine(urls: ReadonlyMap<string, string>): string {
  const parts = ['gateway', 'management', 'portal', 'backend', 'sca'].flatMap((name) => {
    const url = urls.get(name)
    return url === undefined ? [] : [`${name}=${url}`]
  })
  return `tollgate ready ${parts.join(' ')}`
}

/** The data folder, where anything of this process lives in it. */
async function openFolder(settings: Settings, lifetime: Lifetime): Promise<DataFolder | undefined> {
  if (settings.databaseUrl !== undefined && settings.redisUrl !== undefined) return undefined
  const dataFolder = await openDataFolder(settings.dataDir)
  lifetime.opened(() => dataFolder.close())
  return dataFolder
}

async function openStore(
  settings: Settings,
  dataFolder: DataFolder | undefined,
  log: Logger,
  lifetime: Lifetime,
): Promise<Database> {
  let url = settings.databaseUrl
  if (url === undefined) {
    if (dataFolder === undefined) throw new Error('no data folder for the embedded database')
    log.info(
      { dataDir: dataFolder.path },
      'opening the embedded database; the first time takes seconds',
    )
    const embedded = await startEmbeddedDatabase({ dataDir: dataFolder.path, log })
    lifetime.opened(() => embedded.close())
    url = embedded.url
  }
  const database = openDatabase({ url, log })
  lifetime.opened(() => database.close())
  if (settings.databaseUrl !== undefined) await reach(database)
  return database
}

/** A start does not wait for its database: whoever runs us starts us again. The address may hold a password, so only its setting is named. */
async function reach(database: Database): Promise<void> {
  try {
    await sql`select 1`.execute(database.connect())
  } catch (cause) {
    throw new Error('DATABASE_URL: the database cannot be reached', { cause })
  }
}

interface GatewayParts {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
  readonly metricsRegistry: ReturnType<typeof createMetricsRegistry>
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether the process is about to stop, but serves on. */
  readonly isEnding: () => boolean
}

/** Opens what the gateway needs; its listener is bound later, when the backend has an address. */
async function prepareGateway(parts: GatewayParts) {
  const { settings, catalogue, dataFolder, database, log, lifetime } = parts
  const metrics = createGatewayMetrics(parts.metricsRegistry)
  const publisher = createPublisher({ configDir: settings.configDir, catalogue, metrics, log })
  const secret = (
    given: string | undefined,
    kept: typeof embeddedPepper | typeof embeddedIdentityKey,
  ) => given ?? dataFolder?.secret(kept.name, kept.generate)
  const keyPepper = await secret(settings.keyPepper, embeddedPepper)
  const privateKeyPem = await secret(settings.identityPrivateKey, embeddedIdentityKey)
  if (keyPepper === undefined || privateKeyPem === undefined) {
    throw new Error('checkDeployment let a gateway without its secrets pass')
  }
  const identity = await createIdentitySigner({
    privateKeyPem,
    audience: settings.identityAudience,
    now: Date.now,
  })
  const counter = await openCounter({ settings, dataFolder, metrics, log })
  lifetime.opened(() => counter.close())
  const registry = await openRegistry({
    database,
    log,
    peppers: parsePeppers(keyPepper),
    keysPerApplication: settings.keysPerApplication,
    applicationsPerDeveloper: settings.applicationsPerDeveloper,
  })
  lifetime.opened(() => registry.close())
  if (settings.redisUrl === undefined && dataFolder !== undefined) {
    await openControl(dataFolder, createControl({ counter }), lifetime)
  }
  return {
    publisher,
    identity,
    registry,
    probes: [
      { name: 'counters', isReady: () => counter.isUp(), isRequired: false },
      { name: 'registry', isReady: () => registry.isUp(), isRequired: false },
    ],
    async listen(backendUrl: string, portalUrl: () => string): Promise<string> {
      const role = await createGatewayRole({
        settings,
        publisher,
        registry,
        counter,
        identity,
        metrics,
        backendUrl,
        portalUrl,
        log,
      })
      lifetime.opened(() => closeListeners([role.app], () => role.close()))
      return listen(role.app, 'GATEWAY', settings.gateway, parts.isEnding)
    },
  }
}

async function openControl(
  dataFolder: DataFolder,
  control: ReturnType<typeof createControl>,
  lifetime: Lifetime,
): Promise<void> {
  const path = socketPathIn(dataFolder.path, controlSocketName)
  // Left behind by a process that was killed; we hold the lock, so nobody listens on it.
  await unlink(path).catch(() => undefined)
  await control.listen({ path })
  lifetime.opened(() => control.close())
}

async function startBackend(parts: {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly database: Database
  readonly key: JWTVerifyGetKey
  readonly log: Logger
  readonly lifetime: Lifetime
}): Promise<readonly (readonly [name: string, url: string])[]> {
  const { settings, lifetime, log } = parts
  await migrate(parts.database, { name: 'bank', migrations: bankMigrations })
  await seedSandbox({
    database: parts.database,
    now: Date.now,
    timeZone: settings.bankTimeZone,
  })
  // The pages' address stands in links, so it must be known before anything listens.
  const sca = { ...settings.sca, port: await freePort(settings.sca) }
  const backend = await createBackend({
    catalogue: parts.catalogue,
    database: parts.database,
    identity: { key: parts.key, audience: settings.identityAudience },
    log,
    now: Date.now,
    timeZone: settings.bankTimeZone,
    scaPublicUrl: settings.scaPublicUrl ?? origin(sca),
  })
  lifetime.opened(() => closeListeners([backend.app, backend.sca], () => backend.close()))
  return [
    ['backend', await listen(backend.app, 'BACKEND', settings.backend)],
    ['sca', await listen(backend.sca, 'SCA', sca)],
  ]
}

function remoteKeys(settings: Settings): JWTVerifyGetKey {
  if (settings.identityJwksUrl === undefined) throw new Error('no address of the public keys')
  return createRemoteJWKSet(new URL(settings.identityJwksUrl))
}
