import { unpackCatalogue } from '../catalogue/transferred-catalogue.ts'
import { openStores } from '../gateway/open-services.ts'
import { createGatewayMetrics } from '../gateway/operate/metrics.ts'
import { createPublishedCopy } from '../gateway/publisher.ts'
import { prepareGateway } from '../gateway/start-gateway.ts'
import { openDatabase } from '../platform/database.ts'
import { type Lifetime, startWithin } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import { createMetricsRegistry, type Probe } from '../platform/management.ts'
import type { MetricsSnapshot, PublishedMessage, WorkerStart, WorkerState } from './messages.ts'

/** The data path in one worker. */
export interface Worker {
  /** Origin of the listener. */
  readonly origin: string
  publish(published: PublishedMessage): void
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

/** Eight look-ups at once, the change feed and occasional writes share these; most calls need no connection. */
const databaseConnectionsMax = 6

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
  const registry = createMetricsRegistry(start.version)
  const metrics = createGatewayMetrics(registry)
  const publisher = createPublishedCopy({
    catalogue: unpackCatalogue(start.published.catalogue),
    generation: start.published.generation,
    metrics,
  })
  const database = openDatabase({
    url: start.databaseUrl,
    log,
    connectionsMax: databaseConnectionsMax,
  })
  lifetime.opened(() => database.close())
  const base = { settings, dataFolder: undefined, database, log, lifetime }
  const stores = await openStores({ ...base, metrics, isAdmitting: true })
  let isEnding = false
  const gateway = await prepareGateway({
    ...base,
    services: { ...stores, metrics, publisher },
    isEnding: () => isEnding,
    recordsPerSecond: start.recordsPerSecond,
  })
  tellStates({ probes: stores.probes, onStates, lifetime })
  const origin = await gateway.listen(start.backendUrl, () => start.portalUrl)
  database.hurry()
  return {
    origin,
    publish({ catalogue, generation }) {
      publisher.take(unpackCatalogue(catalogue), generation)
    },
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
