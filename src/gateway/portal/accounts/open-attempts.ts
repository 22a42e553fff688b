import { Cluster, Redis } from 'ioredis'
import type { Lifetime } from '../../../platform/lifetime.ts'
import type { Logger } from '../../../platform/log.ts'
import type { RedisAddress } from '../../../platform/redis-address.ts'
import { accessOptions, redisOptions } from '../../../platform/redis-options.ts'
import { type Attempts, type AttemptsOptions, createAttempts } from './attempts.ts'

export interface OpenAttemptsOptions extends Omit<AttemptsOptions, 'redis'> {
  /** Undefined: attempts are counted in this process. */
  readonly redis: RedisAddress | undefined
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

/** An attempt is counted now or refused: nothing is resent, queued or waited for. */
const impatience = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  commandTimeout: 500,
} as const

const retryMs = (attempt: number): number => Math.min(attempt * 50, 1_000)

/** Opens the throttles, with a connection of their own where there is a Redis: several portals count together. */
export function openAttempts({
  redis: address,
  log,
  lifetime,
  ...options
}: OpenAttemptsOptions): Attempts {
  if (address === undefined) return createAttempts({ ...options, redis: undefined })
  const redis = connect(address)
  redis.on('error', (err) => log.warn({ err }, 'attempts cannot be counted, so they are refused'))
  lifetime.opened(() => redis.disconnect())
  return createAttempts({ ...options, redis })
}

function connect(address: RedisAddress): Redis | Cluster {
  if (address.topology !== 'cluster') {
    return new Redis({ ...redisOptions(address), ...impatience, retryStrategy: retryMs })
  }
  return new Cluster(
    address.nodes.map(({ host, port }) => ({ host, port })),
    {
      redisOptions: { ...accessOptions(address), ...impatience },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryMs,
      // A throttle may count an attempt twice; a moved slot must not refuse it.
      retryDelayOnClusterDown: 100,
    },
  )
}
