import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFolder, socketPathIn } from '../platform/data-folder.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { Counter } from './counters/counter.ts'
import { createMemoryCounter } from './counters/memory/memory-counter.ts'
import { createRedisCounter } from './counters/redis/redis-counter.ts'
import { controlSocketName, createControl } from './operate/control.ts'
import type { GatewayMetrics } from './operate/metrics.ts'

export interface OpenCounterOptions {
  readonly settings: Settings
  /** Required when REDIS_URL is not set. */
  readonly dataFolder: DataFolder | undefined
  readonly metrics: Pick<GatewayMetrics, 'counterObserver'>
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether this process admits calls. Otherwise it only reads counts. */
  readonly isAdmitting: boolean
}

/**
 * Opens the counter that the settings choose: Redis, or this process's memory.
 * A counter in memory keeps a journal in the data folder. It also opens a
 * socket there, through which commands reach the counts.
 *
 * @throws {RedisUnsuitableError}
 */
export async function openCounter(options: OpenCounterOptions): Promise<Counter> {
  const { settings, dataFolder, metrics, log, lifetime, isAdmitting } = options
  if (settings.redis !== undefined) {
    const counter = await createRedisCounter({
      address: settings.redis,
      processes: settings.gatewayProcesses,
      isAdmitting,
      evictionAllowed: settings.redisEvictionAllowed,
      deadlineMs: settings.redisDeadlineMs,
      log,
      observer: metrics.counterObserver,
    })
    lifetime.opened(() => counter.close())
    return counter
  }
  if (dataFolder === undefined) throw new Error('no data folder for the journal of the counters')
  const journalPath = join(dataFolder.path, 'counters.journal')
  const onStoreDuration = metrics.counterObserver.answered
  const counter = await createMemoryCounter({ journalPath, log, onStoreDuration })
  lifetime.opened(() => counter.close())
  const control = createControl({ counter })
  const path = socketPathIn(dataFolder.path, controlSocketName)
  // A killed process leaves its socket behind. This process holds the lock, so no other process listens on it.
  await unlink(path).catch(() => undefined)
  await control.listen({ path })
  lifetime.opened(() => control.close())
  return counter
}
