import type { Catalogue } from '../catalogue/catalogue.ts'
import { CatalogueError, loadCatalogue } from '../catalogue/load-catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import type { Published } from '../gateway/edge/published.ts'
import type { ProcessMetrics } from '../gateway/operate/process-metrics.ts'
import type { Logger } from '../platform/log.ts'
import type { SecurityEvents } from '../platform/security-events.ts'

/** Holds the current catalogue and replaces it as a whole. */
export interface Publisher extends Pick<PublishedCopy, 'current'> {
  /**
   * Loads the configuration again. Resolves to whether every part of this
   * process now uses it. An invalid one is logged, and the current one stays.
   */
  reload(): Promise<boolean>
}

export interface PublisherOptions {
  readonly configDir: string
  /** The catalogue at startup. */
  readonly catalogue: Catalogue
  readonly metrics: ProcessMetrics
  readonly log: Logger
  readonly events: Pick<SecurityEvents, 'record'>
  /** Called after each reload that replaced the configuration. */
  readonly onPublished?: (published: Published) => void
}

/** Creates the publisher. Two reloads at once run one after the other, so the newest files win. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { configDir, catalogue, metrics, log, events } = options
  const { current, take } = createPublishedCopy({ catalogue, generation: 1, metrics })
  let queue: Promise<boolean> = Promise.resolve(true)

  /** Never throws: a failed reload must not prevent the next one. */
  async function load(): Promise<boolean> {
    try {
      take(await loadCatalogue(configDir), current().generation + 1)
    } catch (error) {
      metrics.countReload('failure')
      const problems = error instanceof CatalogueError ? error.message : undefined
      log.error(
        { err: problems === undefined ? error : undefined, problems },
        'reload refused, the current configuration stays active',
      )
      events.record({ event: 'configuration.refused', actor: 'system' })
      return false
    }
    try {
      options.onPublished?.(current())
    } catch (error) {
      metrics.countReload('failure')
      log.error({ err: error }, 'the new configuration did not reach the workers; reload again')
      return false
    }
    metrics.countReload('success')
    const { generation } = current()
    log.info({ generation }, 'configuration reloaded')
    events.record({
      event: 'configuration.reloaded',
      actor: 'system',
      detail: { generation: String(generation) },
    })
    return true
  }

  return {
    current,
    reload() {
      queue = queue.then(load)
      return queue
    },
  }
}

/** Holds a catalogue that another process has published. */
export interface PublishedCopy {
  current(): Published
  take(catalogue: Catalogue, generation: number): void
}

/** Creates the copy with the current catalogue. */
export function createPublishedCopy(options: {
  readonly catalogue: Catalogue
  readonly generation: number
  readonly metrics: Pick<ProcessMetrics, 'setGeneration'>
}): PublishedCopy {
  let current: Published

  function take(catalogue: Catalogue, generation: number): void {
    current = { generation, catalogue, router: createRouter(catalogue) }
    options.metrics.setGeneration(generation)
  }

  take(options.catalogue, options.generation)
  return { current: () => current, take }
}
