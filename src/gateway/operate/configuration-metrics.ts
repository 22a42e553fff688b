import { Counter, Gauge, type Registry } from 'prom-client'

/** The configuration that a process serves. */
export interface ConfigurationFacts {
  /** 1 at the start; each reload adds 1. */
  readonly generation: number
  /** Digest of the catalogue. */
  readonly digest: string
  readonly loadedAt: Date
}

/** What every process reports about its configuration. */
export interface ConfigurationMetrics {
  setConfiguration(facts: ConfigurationFacts): void
  countReload(result: 'success' | 'failure'): void
}

/** As much of a digest as people compare. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12)
}

export function createConfigurationMetrics(registry: Registry): ConfigurationMetrics {
  const registers = [registry]
  const generation = new Gauge({
    name: 'gateway_config_generation',
    help: 'Number of the loaded configuration in this process; each successful reload adds 1',
    registers,
  })
  const info = new Gauge({
    name: 'gateway_config_info',
    help: 'Always 1; the label digest is equal in processes that serve the same configuration',
    labelNames: ['digest'],
    registers,
  })
  const loaded = new Gauge({
    name: 'gateway_config_loaded_timestamp_seconds',
    help: 'When the process loaded its configuration, in seconds since 1970',
    registers,
  })
  const reloads = new Counter({
    name: 'gateway_config_reloads_total',
    help: 'Reloads by result',
    labelNames: ['result'],
    registers,
  })
  // Prometheus sees the first event as an increase only if it scraped a 0 before.
  for (const result of ['success', 'failure']) reloads.inc({ result }, 0)
  return {
    setConfiguration(facts) {
      generation.set(facts.generation)
      info.reset()
      info.set({ digest: shortDigest(facts.digest) }, 1)
      loaded.set(facts.loadedAt.getTime() / 1000)
    },
    countReload: (result) => reloads.inc({ result }),
  }
}
