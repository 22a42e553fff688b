import type { Catalogue } from '../catalogue/catalogue.ts'
import { CatalogueError, loadCatalogue } from '../catalogue/load-catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import type { Logger } from '../platform/log.ts'
import type { Published } from './edge/published.ts'
import type { GatewayMetrics } from './operate/metrics.ts'

/** Holds the current catalogue and replaces it as a whole. */
export interface Publisher {
  current(): Published
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
  readonly metrics: GatewayMetrics
  readonly log: Logger
  /** Called after each reload that replaced the configuration. */
  readonly onPublished?: (published: Published) => void
}

/** Creates the publisher. Two reloads at once run one after the other, so the newest files win. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { configDir, metrics, log } = options
  let current = publish(options.catalogue, 1)
  let queue: Promise<boolean> = Promise.resolve(true)
  metrics.setGeneration(current.generation)

  /** Never throws: a failed reload must not prevent the next one. */
  async function load(): Promise<boolean> {
    try {
      current = publish(await loadCatalogue(configDir), current.generation + 1)
    } catch (error) {
      metrics.countReload('failure')
      const problems = error instanceof CatalogueError ? error.message : undefined
      log.error(
        { err: problems === undefined ? error : undefined, problems },
        'reload refused, the current configuration stays active',
      )
      return false
    }
    metrics.setGeneration(current.generation)
    try {
      options.onPublished?.(current)
    } catch (error) {
      metrics.countReload('failure')
      log.error({ err: error }, 'the new configuration did not reach the workers; reload again')
      return false
    }
    metrics.countReload('success')
    log.info({ generation: current.generation }, 'configuration reloaded')
    return true
  }

  return {
    current: () => current,
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
  readonly metrics: Pick<GatewayMetrics, 'setGeneration'>
}): PublishedCopy {
  const { metrics } = options
  let current = publish(options.catalogue, options.generation)
  metrics.setGeneration(current.generation)
  return {
    current: () => current,
    take(catalogue, generation) {
      current = publish(catalogue, generation)
      metrics.setGeneration(generation)
    },
  }
}

function publish(catalogue: Catalogue, generation: number): Published {
  return { generation, catalogue, router: createRouter(catalogue) }
}
