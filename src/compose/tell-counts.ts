import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { CountSamples } from '../gateway/counters/count-samples.ts'
import type { Logger } from '../platform/log/log.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { Registry } from '../registry/open-registry.ts'

export interface TellCountsOptions {
  readonly samples: CountSamples
  readonly registry: Pick<Registry, 'onChange' | 'countSamples'>
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

/** Reports to `tollgate prove --window` the numbers that calls of this process got, on request and when the process ends. */
export function tellCounts({ samples, registry, log, lifetime }: TellCountsOptions): void {
  const id = randomUUID()

  async function tell(proof?: string): Promise<void> {
    const told = {
      process: id,
      host: hostname(),
      pid: process.pid,
      share: samples.share(),
      samples: samples.all(),
    }
    // A process that admitted nothing answers too: otherwise it would be missed.
    if (proof === undefined && told.samples.length === 0) return
    await registry.countSamples.tell(told, proof)
  }
  const orWarn = (err: unknown): void =>
    log.warn({ err }, 'the numbers that calls got were not told: a proof will miss them')

  registry.onChange('counter', (change) => {
    if (change.action === 'prove') tell(change.detail.proof).catch(orWarn)
  })
  lifetime.opened(() => tell().catch(orWarn))
}
