import type { Registry as MetricsRegistry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { CatalogueError, loadCatalogue } from '../catalogue/load-catalogue.ts'
import { createRouter, type Router } from '../catalogue/router.ts'
import type { Published } from '../gateway/edge/published.ts'
import {
  type ConfigurationFacts,
  type ConfigurationMetrics,
  createConfigurationMetrics,
} from '../gateway/operate/configuration-metrics.ts'
import { errorText } from '../platform/log/error-text.ts'
import type { Logger } from '../platform/log/log.ts'
import type { SecurityEvents } from '../platform/log/security-events.ts'
import { SettingsError } from '../platform/settings/settings-reader.ts'

/** Why a configuration is loaded again. */
export interface ReloadCause {
  readonly how: 'command' | 'signal' | 'watch' | 'start'
  /** The actor in the audit. */
  readonly by: string
  /** Further facts for the audit. */
  readonly detail?: Readonly<Record<string, string>>
}

/** SIGHUP: the system knows no person. */
export const signalled: ReloadCause = { how: 'signal', by: 'system' }

/** The configuration of a process, and what became of its last reload. */
export interface ConfigurationState extends ConfigurationFacts {
  /** How many reloads have ended, well or not. */
  readonly judged: number
  /** Why the last reload changed nothing; undefined: it did not fail. */
  readonly refused: string | undefined
  /** Whether the last reload failed for a reason outside the files, so that the same files may load later. */
  readonly isTransient: boolean
}

/** A reload that made a configuration active. */
export interface Replacement {
  readonly before: Catalogue
  readonly catalogue: Catalogue
  readonly cause: ReloadCause
}

/**
 * A part that prepares itself for a configuration, and makes it active when all
 * parts are prepared.
 * @throws what cannot be served
 */
export type Prepare = (catalogue: Catalogue) => Promise<() => void>

/** Rules that a file breaks by the state of the machine, not by its content. */
const passingRules: ReadonlySet<string> = new Set(['file-unreadable', 'configuration-changing'])

/** Holds the current catalogue and replaces it as a whole. */
export interface Publisher {
  current(): Published
  /**
   * Loads the configuration again. Resolves to whether every part of this
   * process now uses it. An invalid one is logged, and the current one stays.
   * The same content replaces nothing, so what was made for it stays.
   */
  reload(cause?: ReloadCause): Promise<boolean>
  state(): ConfigurationState
  /** Adds a part that must be able to serve each next configuration. */
  prepareWith(part: Prepare): void
  /** Calls `listener` after each reload. @param replacement undefined: it failed */
  onJudged(listener: (replacement: Replacement | undefined) => void): void
}

export interface PublisherOptions {
  readonly configDir: string
  /** The catalogue at startup. */
  readonly catalogue: Catalogue
  readonly metrics: ConfigurationMetrics
  readonly log: Logger
  readonly events: Pick<SecurityEvents, 'record'>
}

/** Creates the publisher of a process, which shows its configuration in the process's metrics. */
export function openPublisher(
  options: Omit<PublisherOptions, 'metrics'> & { readonly metricsRegistry: MetricsRegistry },
): Publisher {
  return createPublisher({
    ...options,
    metrics: createConfigurationMetrics(options.metricsRegistry),
  })
}

/** Creates the publisher. Two reloads at once run one after the other, so the newest files win. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { configDir, metrics, log, events } = options
  let generation = 0
  let published: Published
  let facts: ConfigurationFacts
  const parts: Prepare[] = []
  const listeners: Parameters<Publisher['onJudged']>[0][] = []
  let judged = 0
  let refused: string | undefined
  let isTransient = false
  let queue: Promise<boolean> = Promise.resolve(true)

  async function replace(): Promise<void> {
    const catalogue = await loadCatalogue(configDir)
    if (catalogue.digest === published.catalogue.digest) return
    const prepared: (() => void)[] = []
    for (const part of parts) prepared.push(await part(catalogue))
    const router = createRouter(catalogue)
    await router.prepare()
    take(catalogue, router)
    for (const activate of prepared) activate()
  }

  function take(catalogue: Catalogue, router: Router): void {
    generation += 1
    published = { generation, catalogue, router }
    facts = { generation, digest: catalogue.digest, loadedAt: new Date() }
    metrics.setConfiguration(facts)
  }

  /** Never throws: a failed reload must not prevent the next one. */
  async function load(cause: ReloadCause): Promise<boolean> {
    // Another reload has read the files meanwhile.
    if (cause.how === 'start' && judged > 0) return true
    const before = published.catalogue
    isTransient = false
    refused = await failureOf(replace, (error) => {
      isTransient =
        error instanceof CatalogueError && error.problems.some(({ rule }) => passingRules.has(rule))
      const problems =
        error instanceof CatalogueError || error instanceof SettingsError
          ? error.message
          : undefined
      log.error(
        { err: problems === undefined ? error : undefined, problems },
        'reload refused, the current configuration stays active',
      )
      events.record({ event: 'configuration.refused', actor: 'system' })
    })
    judged += 1
    metrics.countReload(refused === undefined ? 'success' : 'failure')
    const { catalogue, generation } = published
    if (refused === undefined) {
      log.info({ generation, digest: catalogue.digest }, 'configuration reloaded')
      events.record({
        event: 'configuration.reloaded',
        actor: 'system',
        detail: { generation: String(generation) },
      })
    }
    for (const listener of listeners) {
      listener(refused === undefined ? { before, catalogue, cause } : undefined)
    }
    return refused === undefined
  }

  take(options.catalogue, createRouter(options.catalogue))
  return {
    current: () => published,
    reload(cause = signalled) {
      queue = queue.then(() => load(cause))
      return queue
    },
    state: () => ({ ...facts, judged, refused, isTransient }),
    prepareWith: (part) => void parts.push(part),
    onJudged: (listener) => void listeners.push(listener),
  }
}

/** @returns the text of the error; undefined: the work succeeded */
async function failureOf(
  work: () => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    report(error)
    return errorText(error)
  }
}
