import { Cluster, type Redis } from 'ioredis'
import type { Logger } from '../../platform/log/log.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import { accessOptions, followLogin, openRedis } from '../../platform/redis/open-redis.ts'
import type { ClusterRedis, RedisAddress } from '../../platform/redis/redis-address.ts'
import { type Attempts, type AttemptsOptions, createAttempts } from './attempts.ts'

export interface OpenAttemptsOptions extends Omit<AttemptsOptions, 'redis'> {
  /** Undefined: attempts are counted in this process. */
  readonly redis: RedisAddress | undefined
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly lifetime: Lifetime
  /** How long a startup waits for the first connection. (Default: 3 s) */
  readonly firstConnectionMs?: number
}

/** An attempt is counted now or refused: nothing is resent or queued. */
const impatience = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  // Timers run before sockets are read, so a turn of the event loop that lasts longer fails an answered command. A
  // person waits this long for a form, and a portal's slow turns are shorter.
  commandTimeout: 2_000,
} as const

const retryMs = (attempt: number): number => Math.min(attempt * 50, 1_000)

/**
 * Opens the limits, with their own connection if there is a Redis: several
 * portals count together. Waits for the connection, so that a portal
 * that reports ready also counts. If Redis stays away, the limits open after
 * `firstConnectionMs` and refuse attempts until it is back.
 */
export async function openAttempts({
  redis: address,
  log,
  lifetime,
  firstConnectionMs = 3_000,
  ...options
}: OpenAttemptsOptions): Promise<Attempts> {
  if (address === undefined) return createAttempts({ ...options, redis: undefined })
  const { client, close } =
    address.topology === 'cluster'
      ? openCluster(address)
      : openRedis({ address, behaviour: { ...impatience, retryStrategy: retryMs } })
  // Every attempt to reconnect fails with an error of its own.
  let isDown = false
  client.on('error', (err) => {
    if (isDown) return
    isDown = true
    log.warn({ err }, 'cannot count attempts: refusing sign-ins, mails and ready consents')
  })
  client.on('ready', () => {
    if (isDown) log.info({}, 'attempts are counted again')
    isDown = false
  })
  lifetime.opened(close)
  if (!(await isReadyWithin(client, firstConnectionMs))) {
    log.warn(
      {},
      'Redis did not answer at startup: refusing sign-ins, mails and ready consents until it does',
    )
  }
  return createAttempts({ ...options, redis: client })
}

function isReadyWithin(client: Redis | Cluster, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    client.once('ready', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}

/** A cluster client of ioredis may send a command twice. To count one attempt too many is safe. */
function openCluster(address: ClusterRedis) {
  const client = new Cluster(
    address.nodes.map(({ host, port }) => ({ host, port })),
    {
      redisOptions: { ...accessOptions(address), ...impatience },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryMs,
    },
  )
  client.on('+node', (node: Redis) => followLogin(node.options, address))
  return { client, close: () => client.disconnect() }
}
