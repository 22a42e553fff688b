import { existsSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { BucketWindow, Counter } from '../gateway/counters/counter.ts'
import {
  type CountedBucket,
  raiseJournal,
  readJournal,
} from '../gateway/counters/memory/journal.ts'
import { createMemoryCounter } from '../gateway/counters/memory/memory-counter.ts'
import { createRedisCounter } from '../gateway/counters/redis/redis-counter.ts'
import { controlSocketName, createControl } from '../gateway/operate/control.ts'
import { connectControl } from '../gateway/operate/control-client.ts'
import type { GatewayMetrics } from '../gateway/operate/metrics.ts'
import { type DataFolder, socketPathIn } from '../platform/database/data-folder.ts'
import { createLog, type Logger } from '../platform/log/log.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { RedisAddress } from '../platform/redis/redis-address.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { followRedis } from './live-redis.ts'
import type { LiveSecrets } from './live-secrets.ts'

/** Where calls are counted. A new store is another value of this kind, and a line in {@link counterStore}. */
export interface CounterStore {
  /** Whether several processes count in it together. Otherwise it is in the process that has the data folder open. */
  readonly isShared: boolean
  /**
   * Opens the counter of a process.
   *
   * @throws {RedisUnsuitableError}
   */
  open(options: OpenCounterOptions): Promise<Counter>
  /**
   * Reaches the counts that are enforced, for a command.
   *
   * @throws {CountersUnreachable} when used, if the process that counts does not run or answer
   */
  reach(): Promise<Pick<Counter, 'peek' | 'reset' | 'close'>>
  /**
   * The counts of the windows in progress, whether or not a process runs.
   *
   * @param buckets those that can have a count, for a store that cannot list them
   */
  read(buckets: readonly BucketWindow[]): Promise<readonly CountedBucket[]>
  /** Raises counts to at least these. Where the store is not shared, no process may run. */
  raise(counts: readonly CountedBucket[]): Promise<RaisedCounts>
  /** Whether it is certain that there is nothing to read here: no journal was ever written. */
  isMissing(): Promise<boolean>
}

/** The outcome for counts. Retrying with all counts is safe. */
export interface RaisedCounts {
  /** Those that the store has confirmed. */
  readonly done: number
  /** Why the others are missing; undefined when none is. */
  readonly failure: unknown
}

export interface OpenCounterOptions {
  readonly secrets: LiveSecrets
  /** Required by a store that is not shared. */
  readonly dataFolder: DataFolder | undefined
  readonly metrics: Pick<GatewayMetrics, 'counterObserver'>
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether this process admits calls. Otherwise it only reads counts. */
  readonly isAdmitting: boolean
}

/** The store that the settings choose. */
export function counterStore(settings: Settings): CounterStore {
  return settings.redis === undefined ? inOneProcess(settings) : onRedis(settings, settings.redis)
}

function onRedis(settings: Settings, address: RedisAddress): CounterStore {
  const processes = settings.gatewayProcesses
  return {
    isShared: true,
    async open({ secrets, metrics, log, lifetime, isAdmitting }) {
      const counter = await createRedisCounter({
        address: await followRedis(address, secrets),
        processes,
        isAdmitting,
        log,
        isEvictionAllowed: settings.redisEvictionAllowed,
        deadlineMs: settings.redisDeadlineMs,
        observer: metrics.counterObserver,
      })
      lifetime.opened(() => counter.close())
      return counter
    },
    reach,
    async read(buckets) {
      const counter = await reach()
      try {
        const counts: CountedBucket[] = []
        for (let at = 0; at < buckets.length; at += peekMax) {
          const asked = buckets.slice(at, at + peekMax)
          for (const [index, { window, count }] of (await counter.peek(asked)).entries()) {
            const bucket = asked[index]
            if (bucket !== undefined && count > 0) {
              counts.push({ ...bucket, window, epoch: 0, count })
            }
          }
        }
        return counts
      } finally {
        await counter.close()
      }
    },
    async raise(counts) {
      let done = 0
      const counter = await reach().catch((failure: unknown) => ({ failure }))
      if ('failure' in counter) return { done, ...counter }
      try {
        for (let at = 0; at < counts.length; at += raiseMax) {
          const sent = counts.slice(at, at + raiseMax).map((count) => counter.raise([count]))
          const outcomes = await Promise.allSettled(sent)
          const failed = outcomes.find((outcome) => outcome.status === 'rejected')
          done += outcomes.filter(({ status }) => status === 'fulfilled').length
          if (failed !== undefined) return { done, failure: failed.reason }
        }
        return { done, failure: undefined }
      } finally {
        await counter.close()
      }
    },
    isMissing: async () => false,
  }

  // A question changes nothing; the gateways have judged the server when they started.
  function reach() {
    return createRedisCounter({
      address,
      processes,
      isEvictionAllowed: true,
      log: createLog('silent'),
    })
  }
}

/** Buckets of one question: a few milliseconds of the server's time. */
const peekMax = 500
/** Counts on their way at a time. */
const raiseMax = 200

/** Keeps a journal in the data folder. A socket there lets commands reach the counts. */
function inOneProcess({ dataDir }: Settings): CounterStore {
  return {
    isShared: false,
    async open({ dataFolder, metrics, log, lifetime }) {
      if (dataFolder === undefined) {
        throw new Error('no data folder for the journal of the counters')
      }
      const journalPath = join(dataFolder.path, journalName)
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
    },
    reach: async () => connectControl({ dataDir }),
    read: async () => readJournal(join(dataDir, journalName)),
    async raise(counts) {
      try {
        raiseJournal(join(dataDir, journalName), counts)
        return { done: counts.length, failure: undefined }
      } catch (failure) {
        return { done: 0, failure }
      }
    },
    isMissing: async () => !existsSync(join(dataDir, journalName)),
  }
}

const journalName = 'counters.journal'
