// This folder connects to Redis. `redis-address.ts` reads the forms of REDIS_URL; this file opens a client of one
// server or of the primary that sentinels name. What is stored belongs to the callers: the counters
// (`gateway/counters/redis/`, which also finds the nodes of a cluster) and the limits of attempts
// (`portal/accounts/open-attempts.ts`).

import { Redis, type RedisOptions } from 'ioredis'
import { protocol } from '../http/tls.ts'
import type { RedisAddress, SentinelRedis, SingleRedis } from './redis-address.ts'

/** A client of ioredis, and how to close it. */
export interface OpenRedis {
  readonly client: Redis
  close(): void
}

export interface OpenRedisOptions {
  readonly address: SingleRedis | SentinelRedis
  /** How the client behaves; the address alone decides where it connects to. */
  readonly behaviour: Behaviour
  /** No sentinel named a primary; the client asks them again. */
  readonly onSentinelsFailed?: () => void
}

/** The options that each user of a client decides. */
type Behaviour = Pick<
  RedisOptions,
  | ('autoResendUnfulfilledCommands' | 'enableOfflineQueue' | 'maxRetriesPerRequest')
  | ('enableReadyCheck' | 'disableClientInfo' | 'retryStrategy')
  | ('connectTimeout' | 'disconnectTimeout' | 'commandTimeout')
>

/** The options of ioredis that determine where it connects to. */
type Place = Pick<
  RedisOptions,
  | ('host' | 'port' | 'db')
  | ('sentinels' | 'name' | 'role' | 'failoverDetector' | 'sentinelUsername' | 'sentinelPassword')
  | ('enableTLSForSentinelMode' | 'sentinelTLS' | 'sentinelCommandTimeout')
  | ('sentinelReconnectStrategy' | 'sentinelRetryStrategy')
>

type AccessOptions = Pick<RedisOptions, 'username' | 'password' | 'tls'>

/** Time limit for a sentinel that accepts but stays silent; then the next one is asked. */
const sentinelDeadlineMs = 250

/** Pause after all sentinels failed, and before reconnecting to one that disconnected. */
const sentinelRetryMs = 250

/**
 * Opens a client of one server, or of the primary that the sentinels name. With
 * sentinels, each new connection asks them again, without a time limit, and an
 * announced failover closes the connection.
 */
export function openRedis({
  address,
  behaviour,
  onSentinelsFailed = () => undefined,
}: OpenRedisOptions): OpenRedis {
  const client = new Redis({ ...placeOptions(address, onSentinelsFailed), ...behaviour })
  followLogin(client.options, address)
  let isClosed = false
  let again: NodeJS.Timeout | undefined

  // A failover announced while the sentinels are being asked makes ioredis 6.0.0 stop reconnecting.
  client.on('end', () => {
    if (isClosed) return
    // A failed connect emits the event `error`, then another `end`.
    again = setTimeout(() => {
      client.connect().catch(() => undefined)
    }, sentinelRetryMs)
  })

  return {
    client,
    close() {
      isClosed = true
      clearTimeout(again)
      client.disconnect()
    },
  }
}

/** Converts an address to options of ioredis. */
function placeOptions(
  address: SingleRedis | SentinelRedis,
  onSentinelsFailed: () => void,
): Place & AccessOptions {
  const access = { ...accessOptions(address), db: address.database }
  if (address.topology === 'single') return { ...access, ...address.server }
  const { sentinels, group, sentinelUsername, sentinelPassword, isEncrypted } = address
  return {
    ...access,
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: group,
    role: 'master',
    failoverDetector: true,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(isEncrypted ? { enableTLSForSentinelMode: true, sentinelTLS: verified } : {}),
    sentinelCommandTimeout: sentinelDeadlineMs,
    sentinelReconnectStrategy: () => sentinelRetryMs,
    // Without a number ioredis stops reconnecting.
    sentinelRetryStrategy() {
      onSentinelsFailed()
      return sentinelRetryMs
    },
  }
}

/** Has ioredis, which reads these options for each connection, use the user and the password of that moment. */
export function followLogin(options: RedisOptions, address: RedisAddress): void {
  const login: Partial<Record<(typeof loginNames)[number], string | undefined>> = address
  for (const name of loginNames) {
    if (!(name in address)) continue
    Object.defineProperty(options, name, {
      get: () => login[name],
      enumerable: true,
      configurable: true,
    })
  }
}

const loginNames = ['username', 'password', 'sentinelUsername', 'sentinelPassword'] as const

/** Credentials and TLS options, the same for every server of an address. */
export function accessOptions({ isEncrypted, username, password }: RedisAddress): AccessOptions {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isEncrypted ? { tls: verified } : {}),
  }
}

/** Explicit, because an environment variable of Node turns the default off. */
const verified = { ...protocol, rejectUnauthorized: true }
