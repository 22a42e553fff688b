import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { folderState } from './catalogue/folder-state.ts'
import { loadCatalogue } from './catalogue/load-catalogue.ts'
import { createAddresses } from './compose/addresses.ts'
import { openCertificates } from './compose/certificates.ts'
import {
  backendProblems,
  backendsOf,
  checkBackends,
  plainBackends,
} from './compose/check-backends.ts'
import { prepareFirstStart } from './compose/first-start.ts'
import { followReloads } from './compose/follow-reloads.ts'
import {
  checkSecretList,
  createLiveSecrets,
  type LiveSecret,
  type LiveSecrets,
} from './compose/live-secrets.ts'
import { identify } from './compose/presence.ts'
import { openPublisher } from './compose/publisher.ts'
import { openSecurityEvents, recordFiles } from './compose/security-events.ts'
import { openServices } from './compose/services.ts'
import {
  type Foundation,
  type JobPauses,
  openChosenDatabase,
  openFolder,
  reachDatabase,
} from './compose/stores.ts'
import { watchConfiguration } from './compose/watch-configuration.ts'
import { dataDirSetting } from './platform/database/data-folder.ts'
import type { startEmbeddedDatabase } from './platform/database/embedded-database.ts'
import { limitConnections } from './platform/http/connection-limits.ts'
import { listen } from './platform/http/listen.ts'
import { createNetworks } from './platform/http/networks.ts'
import { type PlannedListener, probePorts } from './platform/http/probe-ports.ts'
import type { Logger } from './platform/log/log.ts'
import { createLogSwitch } from './platform/log/log-switch.ts'
import { commandName } from './platform/process/command-name.ts'
import { createJobMetrics } from './platform/process/job-metrics.ts'
import { createLifetime, type Lifetime, startWithin } from './platform/process/lifetime.ts'
import { createManagement, createMetricsRegistry } from './platform/process/management.ts'
import { checkDeployment, deploymentWarnings } from './platform/settings/deployment.ts'
import { hasSandbox } from './platform/settings/sandbox.ts'
import { splitSecrets } from './platform/settings/secret-list.ts'
import { roles as allRoles, type Role, type Settings } from './platform/settings/settings.ts'
import { SettingsError } from './platform/settings/settings-reader.ts'
import { together } from './platform/together.ts'

/** A running process. */
export interface Tollgate {
  /** The single line on standard output that reports that all listeners are bound. */
  readonly readyLine: string
  /**
   * Text to show after the ready line: at every start on a terminal, otherwise
   * only at the first start of an embedded installation.
   */
  readonly welcome: string | undefined
  /** Its addresses in rows, for a person; undefined without a gateway. */
  readonly places: string | undefined
  /** Undefined without a portal. */
  readonly portalUrl: string | undefined
  /** Records that the welcome text was shown; until then every start makes a new one. */
  noteWelcomed(): Promise<void>
  /** Applies the configuration files and the certificates, each if it is valid; resolves to whether all are. */
  reload(): Promise<boolean>
  /**
   * Reports not ready, keeps serving for `drainSeconds`, stops accepting, lets
   * current calls finish and closes the stores.
   */
  close(): Promise<void>
}

export interface TollgateOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly log: Logger
  /** Version of the package, for `gateway_build_info`. */
  readonly version: string
  /** Commit of the sources, for `gateway_build_info`; "unknown" if unknown. */
  readonly revision: string
  /** Whether a person reads standard output: a key may be shown only there. */
  readonly isTerminal: boolean
  /** (Default: startEmbeddedDatabase) */
  readonly startEmbedded?: typeof startEmbeddedDatabase
  /** Reads CONFIG_DIR at the start. (Default: loadCatalogue) */
  readonly readCatalogue?: typeof loadCatalogue
  /** (Default: those of the jobs) */
  readonly pauses?: JobPauses
}

/**
 * Starts the roles of this process, gateway, portal and backend (the sandbox
 * bank), in this order: settings → configuration → stores → services →
 * listeners. When one step fails, everything opened before it is closed.
 *
 * @throws named errors whose messages are suitable for the operator: settings,
 * configuration, data folder, stores, ports
 */
export function startTollgate(options: TollgateOptions): Promise<Tollgate> {
  return startWithin(options, (lifetime) => start(options, lifetime))
}

async function start(options: TollgateOptions, lifetime: Lifetime): Promise<Tollgate> {
  const { settings, roles, log, version, revision } = options
  const { readCatalogue = loadCatalogue, pauses = {} } = options
  const addresses = createAddresses(settings)
  const metricsRegistry = createMetricsRegistry({ version, revision, roles: [...roles] })
  const jobs = createJobMetrics(metricsRegistry)
  let isDraining = false
  let management: FastifyInstance | undefined
  // Opened last but also closed last: it reports to the load balancer that the process drains.
  lifetime.opened(() => management?.close())

  // Settings: refuse what would run but work incorrectly, before anything takes time.
  await checkSettings({ settings, roles, readCatalogue })
  for (const warning of deploymentWarnings(settings, roles)) log.warn({}, warning)
  const certificates = await openCertificates({ settings, roles, metricsRegistry, log, lifetime })
  const secrets = createLiveSecrets({ settings, files: certificates, metricsRegistry })
  const dataFolder = await openFolder({ settings, roles, lifetime })
  await probePorts(plannedListeners(settings, roles), startCommand(settings, roles))

  const page = await prepareFirstStart({ settings, roles, dataFolder, log })

  // Configuration, and the database: first, because an embedded one has a separate thread and takes as long as all other
  // steps together.
  const filesAtLoad = await folderState(settings.configDir)
  const [database, catalogue, code] = await together(
    openChosenDatabase({ ...options, secrets, dataFolder, lifetime }),
    readCatalogue(settings.configDir),
    importRoles(roles),
  )
  if (roles.has('gateway')) {
    checkBackends(settings, catalogue, roles)
    for (const warning of plainBackends(settings, catalogue)) log.warn({}, warning)
  }
  // Not in parallel: reading the configuration blocks the event loop, on a slow machine for longer than a connection
  // may take.
  await reachDatabase(settings, database)
  const isEnding = (): boolean => isDraining
  const events = openSecurityEvents({
    settings,
    database,
    log,
    lifetime,
    pauses,
    metricsRegistry,
    hasRegistry: roles.has('gateway') || roles.has('portal'),
  })
  recordFiles(certificates, events)
  const logSwitch = createLogSwitch({ log, settings, now: Date.now })
  lifetime.opened(() => logSwitch.close())
  const base: Foundation = {
    settings,
    secrets,
    logSwitch,
    dataFolder,
    database,
    events,
    log,
    lifetime,
    pauses,
    isEnding,
  }
  const publisher = openPublisher({
    configDir: settings.configDir,
    catalogue,
    log,
    events,
    metricsRegistry,
  })
  if (roles.has('gateway')) {
    publisher.prepareWith(backendsOf(settings, roles))
    await publisher.current().router.prepare()
  }
  const parts = {
    ...base,
    certificates,
    publisher,
    addresses,
    metricsRegistry,
    jobs,
    processIdentity: identify(roles, version),
    sandboxSecret: await sandboxSecretOf(settings, roles, secrets),
  }

  // Stores and services, which gateway and portal share.
  const services =
    code.gateway === undefined && code.portal === undefined
      ? undefined
      : await openServices({ ...parts, admits: roles.has('gateway') })

  // What shows this process to others is opened last, but closed after the listeners: until its last call has ended, a
  // process counts, and a reload waits for it.
  const presence = createLifetime()
  lifetime.opened(() => presence.close())

  // Listeners. Bank and portal in parallel: the bank waits for its database while the portal compiles its schemas.
  const gateway =
    services && (await code.gateway?.prepareGateway({ ...base, version, certificates, services }))
  const [backendProbes = []] = await together(
    code.backend?.startBackend({ ...parts, identity: gateway?.identity, services }),
    services && page && code.portal?.startPortal({ ...parts, services, page }),
  )
  if (gateway && services) {
    addresses.bound('gateway', await gateway.listen(addresses))
    gateway.endApplications(addresses)
  }
  services?.registry.onChange('configuration', ({ action }) => {
    if (action !== 'log') void certificates.reload()
  })
  const managementToken =
    settings.managementToken === undefined
      ? undefined
      : await secrets.follow('MANAGEMENT_TOKEN', {
          text: settings.managementToken,
          check: checkSecretList,
        })
  management = createManagement({
    tls: certificates.management,
    tokens: managementToken && (() => splitSecrets(managementToken.current())),
    metrics: metricsRegistry,
    configuration: publisher.state,
    probes: [
      { name: 'accepting', isReady: () => !isDraining, isRequired: true },
      ...(services?.probes ?? []),
      ...backendProbes,
    ],
    jwks: gateway?.identity.jwks,
  })
  limitConnections(management.server, settings, createNetworks(settings.trustedProxies))
  addresses.bound('management', await listen(management, 'MANAGEMENT', settings.management))

  if (settings.configWatch === 'on') {
    watchConfiguration({ ...parts, loaded: filesAtLoad })
  }
  await followReloads({ ...parts, roles, services, loaded: filesAtLoad, lifetime: presence })

  // Last: no later step can fail before the key is shown.
  const welcome =
    services &&
    (await code.welcome?.welcomeText({
      ...options,
      ...parts,
      catalogue,
      services,
    }))
  // What a first start has changed is in the log before the lines that its reader needs.
  if (welcome !== undefined) await services?.audit.seal()
  dataFolder?.announce({
    gateway: roles.has('gateway') ? addresses.gateway() : undefined,
    portal: roles.has('portal') ? addresses.portal() : undefined,
  })
  database.endStartup()
  return {
    readyLine: addresses.readyLine(),
    welcome,
    places: code.welcome?.placesText({ settings, roles, addresses }),
    portalUrl: roles.has('portal') ? addresses.portal() : undefined,
    noteWelcomed: async () => code.welcome?.noteWelcomed(settings.dataDir),
    async reload() {
      const valid = await Promise.all([certificates.reload(), publisher.reload()])
      return !valid.includes(false)
    },
    async close() {
      isDraining = true
      await delay(settings.drainSeconds * 1000)
      await lifetime.close()
    },
  }
}

/**
 * Refuses settings that do not fit together. What is wrong with them for the
 * configuration alone is checked when it is loaded; here it only completes the list.
 *
 * @throws {SettingsError}
 */
async function checkSettings({
  settings,
  roles,
  readCatalogue,
}: Pick<TollgateOptions, 'settings' | 'roles'> & {
  readonly readCatalogue: typeof loadCatalogue
}): Promise<void> {
  try {
    checkDeployment(settings, roles)
  } catch (error) {
    if (!(error instanceof SettingsError) || !roles.has('gateway')) throw error
    const catalogue = await readCatalogue(settings.configDir).catch(() => undefined)
    if (catalogue === undefined) throw error
    throw new SettingsError([...error.problems, ...backendProblems(settings, catalogue, roles)])
  }
}

/** Imports the code of the roles that run: a gateway alone starts faster without portal and bank. */
async function importRoles(roles: ReadonlySet<Role>) {
  const [gateway, portal, backend, welcome] = await Promise.all([
    roles.has('gateway') ? import('./compose/gateway.ts') : undefined,
    roles.has('portal') ? import('./compose/portal.ts') : undefined,
    roles.has('backend') ? import('./compose/backend.ts') : undefined,
    roles.has('gateway') ? import('./compose/welcome.ts') : undefined,
  ])
  return { gateway, portal, backend, welcome }
}

/** If the operator sets no secret, only this process calls its bank, so a random secret is enough. Undefined: no sandbox. */
async function sandboxSecretOf(
  settings: Settings,
  roles: ReadonlySet<Role>,
  secrets: LiveSecrets,
): Promise<LiveSecret | undefined> {
  if (!hasSandbox(settings, roles)) return undefined
  const text = settings.sandboxSecret ?? randomBytes(32).toString('base64url')
  return secrets.follow('SANDBOX_SECRET', { text, check: checkSecretList })
}

function plannedListeners(settings: Settings, roles: ReadonlySet<Role>): PlannedListener[] {
  const { gateway, management, portal, backend, sca } = settings
  return [
    ...(roles.has('gateway')
      ? [{ setting: 'GATEWAY', address: gateway, isShared: settings.gatewayReusePort }]
      : []),
    { setting: 'MANAGEMENT', address: management },
    ...(roles.has('portal') ? [{ setting: 'PORTAL', address: portal }] : []),
    ...(roles.has('backend') ? [{ setting: 'BACKEND', address: backend }] : []),
    ...(roles.has('backend') ? [{ setting: 'SCA', address: sca }] : []),
  ]
}

/** The command that starts these roles again, on the same data folder. */
function startCommand({ dataDir }: Settings, roles: ReadonlySet<Role>): string {
  const named = roles.size === allRoles.length ? [] : allRoles.filter((role) => roles.has(role))
  return `${dataDirSetting(dataDir)}${[commandName(), 'start', ...named].join(' ')}`
}
