import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { sql } from 'kysely'
import type { Catalogue } from './catalogue/catalogue.ts'
import { loadCatalogue } from './catalogue/load-catalogue.ts'
import { counterStore } from './gateway/counter-store.ts'
import { openSecret } from './gateway/open-secret.ts'
import { openServices } from './gateway/open-services.ts'
import { embeddedSessionSecret } from './gateway/portal/portal-secrets.ts'
import type { RegistryStores } from './gateway/registry/stores.ts'
import { type DataFolder, dataDirSetting, openDataFolder } from './platform/data-folder.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { checkDeployment, deploymentWarnings } from './platform/deployment.ts'
import { startEmbeddedDatabase } from './platform/embedded-database.ts'
import { type Lifetime, startWithin } from './platform/lifetime.ts'
import { listen, origin } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'
import { createManagement, createMetricsRegistry } from './platform/management.ts'
import { type PlannedListener, probePorts } from './platform/probe-ports.ts'
import { hasSandbox } from './platform/sandbox.ts'
import { roles as allRoles, type Role, type Settings } from './platform/settings.ts'
import { together } from './platform/together.ts'
import { recordsPerSecond, transferred, workerSettings } from './workers/worker-start.ts'
import { forkWorkers } from './workers/workers.ts'

/** A running process. */
export interface Tollgate {
  /** The single line on standard output that reports that all listeners are bound. */
  readonly readyLine: string
  /** Text to show after the ready line: at every start on a terminal, otherwise only at the first start of an embedded installation. */
  readonly welcome: string | undefined
  /** Records that the welcome text was shown; until then every start makes a new one. */
  noteWelcomed(): Promise<void>
  /** Applies the configuration files if they are valid; resolves to whether they are. */
  reload(): Promise<boolean>
  /** Reports not ready, keeps serving for `drainSeconds`, stops accepting, lets current calls finish and closes the stores. */
  close(): Promise<void>
}

export interface TollgateOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly log: Logger
  /** Version of the package, for `gateway_build_info`. */
  readonly version: string
  /** Whether a person reads standard output: a key may be shown only there. */
  readonly isTerminal: boolean
}

/**
 * Starts the roles of this process, gateway, portal and backend (the sandbox
 * bank), in this order: settings → configuration → stores → listeners. When one
 * step fails, everything opened before it is closed.
 *
 * @throws named errors whose messages are suitable for the operator: settings,
 * configuration, data folder, stores, ports
 */
export function startTollgate(options: TollgateOptions): Promise<Tollgate> {
  return startWithin(options, (lifetime) => start(options, lifetime))
}

async function start(options: TollgateOptions, lifetime: Lifetime): Promise<Tollgate> {
  const { settings, roles, log, version } = options
  checkDeployment(settings, roles)
  for (const warning of deploymentWarnings(settings, roles)) log.warn({}, warning)
  let management: FastifyInstance | undefined
  // Opened last but also closed last: it reports to the load balancer that the process drains.
  lifetime.opened(async () => {
    await management?.close()
  })
  const metricsRegistry = createMetricsRegistry(version)
  const workers =
    roles.has('gateway') && settings.gatewayWorkers > 1
      ? forkWorkers({ size: settings.gatewayWorkers, metricsRegistry, log })
      : undefined
  // After a regular shutdown the workers have already ended. After a failed startup this ends them.
  lifetime.opened(() => workers?.close())
  const dataFolder = await openFolder(settings, lifetime)
  await probePorts(plannedListeners(settings, roles), startCommand(settings, roles))
  // First, because the embedded database has a separate thread and takes as long as all other steps together.
  const store = openStore(settings, dataFolder, log, lifetime)
  const [catalogue, { database, databaseUrl }, code] = await together(
    loadCatalogue(settings.configDir),
    store,
    importRoles(roles),
  )
  // Not in parallel: reading the configuration blocks the event loop, on a slow machine for longer than a connection
  // may take.
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
  const bankUrl = (): string => settings.backendUrl ?? urls.backend ?? origin(settings.backend)
  const gatewayUrl = (): string =>
    settings.gatewayPublicUrl ?? urls.gateway ?? origin(settings.gateway)

  // If the operator sets no secret, only this process calls its bank, so a random secret is enough.
  const sandboxSecret = settings.sandboxSecret ?? randomBytes(32).toString('base64url')
  const isSandbox = hasSandbox(settings, roles)

  async function openBackend(): Promise<void> {
    if (code.backend === undefined) return
    const key =
      gateway === undefined ? remoteKeys(settings) : createLocalJWKSet(gateway.identity.jwks)
    const sandbox = isSandbox ? { secret: sandboxSecret, portalUrl } : undefined
    Object.assign(urls, await code.backend.startBackend({ ...base, key, sandbox }))
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
      sandbox: isSandbox ? { bankUrl, secret: sandboxSecret } : undefined,
    })
  }

  // In parallel: the backend waits for its database while the portal compiles its schemas.
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
  // Last: no later step can fail before the key is shown.
  const welcome =
    services !== undefined && gateway !== undefined
      ? await welcomeText({ ...options, ...base, stores: services.registry, urls })
      : undefined

  dataFolder?.announce({
    gateway: gateway === undefined ? undefined : gatewayUrl(),
    portal: code.portal === undefined ? undefined : portalUrl(),
  })
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

/** Imports the code of the roles that run: a gateway alone starts faster without portal and bank. */
async function importRoles(roles: ReadonlySet<Role>) {
  const [gateway, portal, backend] = await Promise.all([
    roles.has('gateway') ? import('./gateway/start-gateway.ts') : undefined,
    roles.has('portal') ? import('./gateway/portal/start-portal.ts') : undefined,
    roles.has('backend') ? import('./backend/start-backend.ts') : undefined,
  ])
  return { gateway, portal, backend }
}

function plannedListeners(settings: Settings, roles: ReadonlySet<Role>): PlannedListener[] {
  const { gateway, management, portal, backend, sca } = settings
  return [
    ...(roles.has('gateway') ? [{ setting: 'GATEWAY', address: gateway }] : []),
    { setting: 'MANAGEMENT', address: management },
    ...(roles.has('portal') ? [{ setting: 'PORTAL', address: portal }] : []),
    ...(roles.has('backend') ? [{ setting: 'BACKEND', address: backend }] : []),
    ...(roles.has('backend') ? [{ setting: 'SCA', address: sca }] : []),
  ]
}

/** The command that starts these roles again, on the same data folder. */
function startCommand({ dataDir }: Settings, roles: ReadonlySet<Role>): string {
  const command =
    roles.size === allRoles.length
      ? 'npm start'
      : `npx tollgate start ${allRoles.filter((role) => roles.has(role)).join(' ')}`
  return `${dataDirSetting(dataDir)}${command}`
}

/** Listeners in the order of the ready line. */
const listeners = ['gateway', 'management', 'portal', 'backend', 'sca'] as const
type Listener = (typeof listeners)[number]

/** `tollgate ready gateway=… management=… portal=… backend=… sca=…`, with the listeners of this process only. */
function readyLine(urls: Partial<Record<Listener, string>>): string {
  const parts = listeners.flatMap((name) =>
    urls[name] === undefined ? [] : `${name}=${urls[name]}`,
  )
  return `tollgate ready ${parts.join(' ')}`
}

/** The addresses and, in an embedded installation, the demonstration, which each start makes until one was shown. */
async function welcomeText(parts: {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly isTerminal: boolean
  readonly catalogue: Catalogue
  readonly database: Database
  readonly stores: RegistryStores
  readonly urls: Partial<Record<Listener, string>>
}): Promise<string | undefined> {
  const { settings, roles, isTerminal, urls } = parts
  const { dataDir } = settings
  const isDemonstrated = roles.has('backend') && settings.databaseUrl === undefined
  const { makeDemonstration, terminalText, unattendedText } = await import('./first-start.ts')
  const made = isDemonstrated
    ? await makeDemonstration({
        ...parts,
        dataDir,
        timeZone: settings.bankTimeZone,
        issuesKey: isTerminal,
      })
    : undefined
  const { mailsPlace } = await import('./gateway/portal/mail/mailbox.ts')
  const portal = roles.has('portal') ? (settings.portalPublicUrl ?? urls.portal) : undefined
  const places = {
    gateway: settings.gatewayPublicUrl ?? urls.gateway ?? origin(settings.gateway),
    portal,
    bank: settings.scaPublicUrl ?? urls.sca,
    mails: portal === undefined ? undefined : mailsPlace(settings, portal),
  }
  if (isTerminal) {
    const reachesSandbox = roles.has('backend') && hasSandbox(settings, roles)
    return terminalText({ places, made, dataDir, hasSandbox: reachesSandbox })
  }
  return made === undefined ? undefined : unattendedText(places, made, dataDir)
}

/** The data folder, if this process keeps anything there. */
async function openFolder(settings: Settings, lifetime: Lifetime): Promise<DataFolder | undefined> {
  if (settings.databaseUrl !== undefined && counterStore(settings).isShared) return undefined
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

/**
 * Startup waits for a connection, not for a database: the service manager
 * restarts the process. The address may contain a password, so only its setting
 * is named.
 */
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
