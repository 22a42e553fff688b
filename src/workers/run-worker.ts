import { unpackCatalogue } from '../catalogue/transferred-catalogue.ts'
import { type Certificates, createHandshakeCounter } from '../compose/certificates.ts'
import { prepareGateway } from '../compose/gateway.ts'
import { createToldSecrets } from '../compose/live-secrets.ts'
import { createPublishedCopy } from '../compose/publisher.ts'
import { openSecurityEvents } from '../compose/security-events.ts'
import { followLogin, openStores } from '../compose/stores.ts'
import { copyClientTrust } from '../compose/trusts.ts'
import { createConfigurationMetrics } from '../gateway/operate/configuration-metrics.ts'
import { createGatewayMetrics } from '../gateway/operate/metrics.ts'
import { createProcessMetrics } from '../gateway/operate/process-metrics.ts'
import { openDatabase } from '../platform/database/database.ts'
import type { Logger } from '../platform/log/log.ts'
import { createLogSwitch } from '../platform/log/log-switch.ts'
import { type Lifetime, startWithin } from '../platform/process/lifetime.ts'
import { createMetricsRegistry, type Probe } from '../platform/process/management.ts'
import { createWatchedCopy } from '../platform/settings/watched-files.ts'
import type {
  MetricsSnapshot,
  PublishedMessage,
  WorkerStart,
  WorkerState,
  WorkerTls,
} from './messages.ts'

/** The data path in one worker. */
export interface Worker {
  /** Origin of the listener. */
  readonly origin: string
  publish(published: PublishedMessage): void
  adoptTls(tls: Partial<WorkerTls>): void
  adoptSecrets(secrets: Readonly<Record<string, string>>): void
  metrics(): Promise<MetricsSnapshot>
  /** From now on every response asks its client to close the connection. */
  prepareEnd(): void
  /** Accepts nothing more, finishes current calls, writes pending records. */
  close(): Promise<void>
}

export interface RunWorkerOptions {
  readonly start: WorkerStart
  readonly log: Logger
  /** Called with the state of the worker's dependencies, first at startup and then after each change. */
  readonly onStates: (states: readonly WorkerState[]) => void
}

/** Interval between two checks of the dependencies. */
const lookMs = 250

/**
 * Opens the stores and the listener of a worker. The parent process has what
 * exists once: configuration files, management and cleanup.
 *
 * @throws named errors: stores, the port
 */
export function runWorker(options: RunWorkerOptions): Promise<Worker> {
  return startWithin(options, (lifetime) => open(options, lifetime))
}

async function open(
  { start, log, onStates }: RunWorkerOptions,
  lifetime: Lifetime,
): Promise<Worker> {
  const { settings } = start
  const registry = createMetricsRegistry({
    ...{ version: start.version, revision: start.revision },
    roles: ['gateway'],
  })
  const metrics = createGatewayMetrics(registry)
  const processMetrics = createProcessMetrics(registry)
  const publisher = createPublishedCopy({
    catalogue: unpackCatalogue(start.published.catalogue),
    generation: start.published.generation,
    metrics: createConfigurationMetrics(registry),
  })
  const secrets = createToldSecrets(start.secrets)
  const database = openDatabase({
    url: start.databaseUrl,
    log,
    user: 'gateway worker',
    connectionsMax: start.databaseConnections,
  })
  lifetime.opened(() => database.close())
  await followLogin(database, { secrets, url: start.databaseUrl })
  let isEnding = false
  const logSwitch = createLogSwitch({ log, settings, now: Date.now })
  lifetime.opened(() => logSwitch.close())
  const { log: change } = start
  if (Date.parse(change?.until ?? '') > Date.now()) logSwitch.change(change ?? {})
  const base = {
    settings,
    logSwitch,
    secrets,
    dataFolder: undefined,
    database,
    events: openSecurityEvents({
      ...{ settings, database, log, lifetime, metricsRegistry: registry },
      hasRegistry: true,
    }),
    log,
    lifetime,
    isEnding: () => isEnding,
  }
  const stores = await openStores({ ...base, metrics, processMetrics, isAdmitting: true })
  const certificates = await copyCertificates(start, createHandshakeCounter(registry, log))
  const gateway = await prepareGateway({
    ...{ ...base, version: start.version, certificates },
    services: { ...stores, metrics, publisher },
  })
  tellStates({ probes: stores.probes, onStates, lifetime })
  const origin = await gateway.listen({
    backend: () => start.backendUrl,
    portal: () => start.portalUrl,
  })
  database.hurry()
  return {
    origin,
    publish({ catalogue, generation }) {
      publisher.take(unpackCatalogue(catalogue), generation)
    },
    adoptTls: certificates.take,
    adoptSecrets: secrets.take,
    metrics: () => registry.getMetricsAsJSON(),
    prepareEnd() {
      isEnding = true
    },
    close() {
      isEnding = true
      return lifetime.close()
    },
  }
}

/** The certificates whose files the parent process reads. */
async function copyCertificates(
  { tls: first, settings }: WorkerStart,
  countFailures: ReturnType<typeof createHandshakeCounter>,
): Promise<
  Pick<Certificates, 'gateway' | 'upstream' | 'clientTrust'> & {
    take(tls: Partial<WorkerTls>): void
  }
> {
  const gateway = first.gateway && createWatchedCopy(first.gateway)
  const upstream = first.upstream && createWatchedCopy(first.upstream)
  const clientTrust = first.clientTrust && (await copyClientTrust(first.clientTrust))
  return {
    gateway: gateway && {
      ...gateway,
      asksForCertificate: settings.gatewayClientCertificates !== 'off',
      handshakeFailed: countFailures('gateway'),
    },
    upstream,
    clientTrust,
    take(tls) {
      if (tls.gateway !== undefined) gateway?.take(tls.gateway)
      if (tls.upstream !== undefined) upstream?.take(tls.upstream)
      if (tls.clientTrust !== undefined) clientTrust?.read(tls.clientTrust)
    },
  }
}

function tellStates({
  probes,
  onStates,
  lifetime,
}: {
  readonly probes: readonly Probe[]
  readonly onStates: RunWorkerOptions['onStates']
  readonly lifetime: Lifetime
}): void {
  let told = ''
  function look(): void {
    const states = probes.map(({ name, isReady }) => ({ name, isReady: isReady() }))
    const text = JSON.stringify(states)
    if (text !== told) onStates(states)
    told = text
  }
  look()
  const timer = setInterval(look, lookMs)
  timer.unref()
  lifetime.opened(() => clearInterval(timer))
}
