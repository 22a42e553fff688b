import { Cluster } from 'ioredis'
import type { Lifetime } from '../../../platform/lifetime.ts'
import type { Logger } from '../../../platform/log.ts'
import { accessOptions, openRedis } from '../../../platform/open-redis.ts'
import type { ClusterRedis, RedisAddress } from '../../../platform/redis-address.ts'
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
  const { client, close } =
    address.topology === 'cluster'
      ? openCluster(address)
      : openRedis({ address, behaviour: { ...impatience, retryStrategy: retryMs } })
  client.on('error', (err) =>
    log.warn({ err }, 'cannot count attempts: refusing sign-ins, mails and ready consents'),
  )
  lifetime.opened(close)
  return createAttempts({ ...options, redis: client })
}

/** Where it does not matter that a cluster client of ioredis may send a command twice: to count one attempt too many is safe. */
function openCluster(address: ClusterRedis) {
  const client = new Cluster(
    address.nodes.map(({ host, port }) => ({ host, port })),
    {
      redisOptions: { ...accessOptions(address), ...impatience },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryMs,
    },
  )
  return { client, close: () => client.disconnect() }
}
