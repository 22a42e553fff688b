import { Redis } from 'ioredis'
import type { Lifetime } from '../../../platform/lifetime.ts'
import type { Logger } from '../../../platform/log.ts'
import { type Attempts, type AttemptsOptions, createAttempts } from './attempts.ts'

export interface OpenAttemptsOptions extends Omit<AttemptsOptions, 'redis'> {
  /** Undefined: attempts are counted in this process. */
  readonly redisUrl: string | undefined
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

/** Opens the throttles, with a connection of their own where there is a Redis: several portals count together. */
export function openAttempts({
  redisUrl,
  log,
  lifetime,
  ...options
}: OpenAttemptsOptions): Attempts {
  if (redisUrl === undefined) return createAttempts({ ...options, redis: undefined })
  // An attempt is counted now or refused: nothing is resent, queued or waited for.
  const redis = new Redis(redisUrl, {
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: 500,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  })
  redis.on('error', (err) => log.warn({ err }, 'attempts cannot be counted, so they are refused'))
  lifetime.opened(() => redis.disconnect())
  return createAttempts({ ...options, redis })
}
