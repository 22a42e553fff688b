import type { FastifyInstance } from 'fastify'
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { sql } from 'kysely'
import type { Catalogue } from './catalogue/catalogue.ts'
import { loadCatalogue } from './catalogue/load-catalogue.ts'
import { openSecret } from './gateway/open-secret.ts'
import { openServices } from './gateway/open-services.ts'
import { embeddedSessionSecret } from './gateway/portal/portal-secrets.ts'
import type { RegistryStores } from './gateway/registry/stores.ts'
import { type DataFolder, openDataFolder } from './platform/data-folder.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { checkDeployment } from './platform/deployment.ts'
import { startEmbeddedDatabase } from './platform/embedded-database.ts'
import { type Lifetime, startWithin } from './platform/lifetime.ts'
import { listen, origin } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'
import { createManagement, createMetricsRegistry } from './platform/management.ts'
import type { Role, Settings } from './platform/settings.ts'
import { together } from './platform/together.ts'
import { recordsPerSecond, transferred, workerSettings } from './workers/worker-start.ts'
import { forkWorkers } from './workers/workers.ts'

/** A running process. */
export interface Tollgate {
  /** The one line of standard output that says all listeners are bound. */
  readonly readyLine: string
  /** What to show once, on the first embedded start; undefined later. */
  readonly welcome: string | undefined
  /** Notes that the welcome was shown; until then every start has one. */
  noteWelcomed(): Promise<void>
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
export function startTollgate(options: TollgateOptions): Promise<Tollgate> {
  return startWithin(options, (lifetime) => start(options, lifetime))
}

async function start(options: TollgateOptions, lifetime: Lifetime): Promise<Tollgate> {
  const { settings, roles, log, version } = options
  checkDeployment(settings, roles)
  let management: FastifyInstance | undefined
  // Bound last, but closed last too: it tells the balancer that we are draining.
  lifetime.opened(async () => {
    await management?.close()
  })
  const metricsRegistry = createMetricsRegistry(version)
  const workers =
    roles.has('gateway') && settings.gatewayWorkers > 1
      ? forkWorkers({ size: settings.gatewayWorkers, metricsRegistry, log })
      : undefined
  // When all went well they are long gone by then; a start that fails leaves none behind.
  lifetime.opened(() => workers?.close())
  const dataFolder = await openFolder(settings, lifetime)
  // First, because the embedded database has a thread of its own and needs as long as the rest.
  const store = openStore(settings, dataFolder, log, lifetime)
  const [catalogue, { database, databaseUrl }, code] = await together(
    loadCatalogue(settings.configDir),
    store,
    importRoles(roles),
  )
  // Not beside the rest: reading blocks for longer than a connection may take on a slow machine.
  if (settings.databaseUrl !== undefined) await reach(database)
  const base = { settings, catalogue, database, log, lifetime }
  const urls: Partial<Record<Listener, string>> = {}
  let isDraining = false
  const isEnding = (): boolean => isDraining

  const services =
    roles.has('gateway') || roles.has('portal')
      ? await openServices({
          ...base,
          dataFolder,
          metricsRegistry,
          admits: roles.has('gateway'),
          onPublished: (published) => workers?.publish(transferred(published)),
        })
      : undefined
  const gateway =
    services !== undefined && code.gateway !== undefined
      ? await code.gateway.prepareGateway({
          ...base,
          dataFolder,
          services,
          isEnding,
          recordsPerSecond: recordsPerSecond(settings),
        })
      : undefined
  const portalUrl = (): string => settings.portalPublicUrl ?? urls.portal ?? origin(settings.portal)
  const gatewayUrl = (): string =>
    settings.gatewayPublicUrl ?? urls.gateway ?? origin(settings.gateway)

  async function openBackend(): Promise<void> {
    if (code.backend === undefined) return
    const key =
      gateway === undefined ? remoteKeys(settings) : createLocalJWKSet(gateway.identity.jwks)
    Object.assign(urls, await code.backend.startBackend({ ...base, key }))
  }

  async function openPortal(): Promise<void> {
    if (services === undefined || code.portal === undefined) return
    const { sessionSecret } = settings
    urls.portal = await code.portal.startPortal({
      ...base,
      metricsRegistry,
      isEnding,
      sessionSecret: await openSecret(sessionSecret, dataFolder, embeddedSessionSecret),
      services: {
        catalogue: () => services.publisher.current().catalogue,
        portalUrl,
        gatewayUrl,
        probedGatewayUrl: () => settings.gatewayUrl ?? gatewayUrl(),
        stores: services.registry,
        counter: services.counter,
      },
    })
  }

  // The one waits for its database while the other compiles its schemas.
  await together(openBackend(), openPortal())
  if (gateway !== undefined && services !== undefined) {
    const backendUrl = settings.backendUrl ?? urls.backend
    if (backendUrl === undefined) throw new Error('checkDeployment let a missing backend pass')
    if (workers === undefined) urls.gateway = await gateway.listen(backendUrl, portalUrl)
    else {
      lifetime.opened(() => workers.close())
      urls.gateway = await workers.start({
        settings: await workerSettings(settings, dataFolder),
        databaseUrl,
        version,
        backendUrl,
        portalUrl: portalUrl(),
        published: transferred(services.publisher.current()),
        recordsPerSecond: recordsPerSecond(settings),
      })
    }
  }
  management = createManagement({
    metrics: workers?.metrics ?? metricsRegistry,
    probes: [
      { name: 'accepting', isReady: () => !isDraining, isRequired: true },
      ...(services?.probes ?? []),
      ...(workers?.probes ?? []),
    ],
    ...(gateway === undefined ? {} : { jwks: gateway.identity.jwks }),
  })
  urls.management = await listen(management, 'MANAGEMENT', settings.management)
  // Last: nothing after it can fail before its key is shown.
  const isDemonstrated = roles.has('backend') && settings.databaseUrl === undefined
  const welcome =
    services !== undefined && gateway !== undefined && isDemonstrated
      ? await welcomeText({ ...base, stores: services.registry, urls })
      : undefined

  database.hurry()
  return {
    readyLine: readyLine(urls),
    welcome,
    async noteWelcomed() {
      const { noteWelcomed } = await import('./first-start.ts')
      await noteWelcomed(settings.dataDir)
    },
    reload: () => services?.publisher.reload() ?? Promise.resolve(true),
    async close() {
      isDraining = true
      workers?.prepareEnd()
      await new Promise((resolve) => setTimeout(resolve, settings.drainSeconds * 1000))
      await lifetime.close()
    },
  }
}

/** The code of the roles that run: a gateway alone starts sooner without that of portal and bank. */
async function importRoles(roles: ReadonlySet<Role>) {
  const [gateway, portal, backend] = await Promise.all([
    roles.has('gateway') ? import('./gateway/start-gateway.ts') : undefined,
    roles.has('portal') ? import('./gateway/portal/start-portal.ts') : undefined,
    roles.has('backend') ? import('./backend/start-backend.ts') : undefined,
  ])
  return { gateway, portal, backend }
}

/** Listeners in the order of the ready line. */
const listeners = ['gateway', 'management', 'portal', 'backend', 'sca'] as const
type Listener = (typeof listeners)[number]

/** `tollgate ready gateway=… management=… portal=… backend=… sca=…`, only the listeners there are. */
function readyLine(urls: Partial<Record<Listener, string>>): string {
  const parts = listeners.flatMap((name) =>
    urls[name] === undefined ? [] : `${name}=${urls[name]}`,
  )
  return `tollgate ready ${parts.join(' ')}`
}

/** Until one was shown makes a demonstration and tells of it. */
async function welcomeText(parts: {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly database: Database
  readonly stores: RegistryStores
  readonly urls: Partial<Record<Listener, string>>
}): Promise<string | undefined> {
  const { settings, urls } = parts
  const { demonstrationText, makeDemonstration } = await import('./first-start.ts')
  const made = await makeDemonstration({
    ...parts,
    dataDir: settings.dataDir,
    timeZone: settings.bankTimeZone,
  })
  if (made === undefined) return undefined
  const gateway = settings.gatewayPublicUrl ?? urls.gateway ?? origin(settings.gateway)
  const { mailsFolder } = await import('./gateway/portal/mail/open-mails.ts')
  const mails = settings.smtpUrl === undefined ? mailsFolder(settings.dataDir) : undefined
  return demonstrationText(made, { gateway, portal: urls.portal }, mails)
}

/** The data folder, where anything of this process lives in it. */
async function openFolder(settings: Settings, lifetime: Lifetime): Promise<DataFolder | undefined> {
  if (settings.databaseUrl !== undefined && settings.redis !== undefined) return undefined
  const dataFolder = await openDataFolder(settings.dataDir)
  lifetime.opened(() => dataFolder.close())
  return dataFolder
}

async function openStore(
  settings: Settings,
  dataFolder: DataFolder | undefined,
  log: Logger,
  lifetime: Lifetime,
): Promise<{ readonly database: Database; readonly databaseUrl: string }> {
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
  return { database, databaseUrl: url }
}

/** A start waits for a connection, not for a database: whoever runs us starts us again. The address may hold a password, so only its setting is named. */
async function reach(database: Database): Promise<void> {
  try {
    await sql`select 1`.execute(database.connect())
  } catch (cause) {
    throw new Error('DATABASE_URL: the database cannot be reached', { cause })
  }
}

function remoteKeys(settings: Settings): JWTVerifyGetKey {
  if (settings.identityJwksUrl === undefined) throw new Error('no address of the public keys')
  return createRemoteJWKSet(new URL(settings.identityJwksUrl))
}
