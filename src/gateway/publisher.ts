import type { Catalogue } from '../catalogue/catalogue.ts'
import { CatalogueError, loadCatalogue } from '../catalogue/load-catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import type { Logger } from '../platform/log.ts'
import type { Published } from './edge/published.ts'
import type { GatewayMetrics } from './operate/metrics.ts'

/** Holds the catalogue in force and replaces it as a whole. */
export interface Publisher {
  current(): Published
  /** Loads the configuration again. Resolves to whether it is in force now; a bad one is logged and the old one stays. */
  reload(): Promise<boolean>
}

export interface PublisherOptions {
  readonly configDir: string
  /** In force from the start. */
  readonly catalogue: Catalogue
  readonly metrics: GatewayMetrics
  readonly log: Logger
  /** Told of every configuration that a reload has taken into force. */
  readonly onPublished?: (published: Published) => void
}

/** Creates the publisher. Two reloads at once run one after the other, so the newest files win. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { configDir, metrics, log } = options
  let current = publish(options.catalogue, 1)
  let queue: Promise<boolean> = Promise.resolve(true)
  metrics.setGeneration(current.generation)

  async function load(): Promise<boolean> {
    try {
      current = publish(await loadCatalogue(configDir), current.generation + 1)
    } catch (error) {
      metrics.countReload('failure')
      const problems = error instanceof CatalogueError ? error.message : undefined
      log.error(
        { err: problems === undefined ? error : undefined, problems },
        'reload refused, the old configuration stays in force',
      )
      return false
    }
    metrics.countReload('success')
    metrics.setGeneration(current.generation)
    log.info({ generation: current.generation }, 'configuration reloaded')
    options.onPublished?.(current)
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

/** Holds the catalogue that another process has taken into force. */
export interface PublishedCopy {
  current(): Published
  take(catalogue: Catalogue, generation: number): void
}

/** Creates the copy, with the catalogue that is in force now. */
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
