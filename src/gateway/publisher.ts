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

function publish(catalogue: Catalogue, generation: number): Published {
  return { generation, catalogue, router: createRouter(catalogue) }
}
