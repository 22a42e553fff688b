import { Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress, SentinelRedis, SingleRedis } from './redis-address.ts'

/** A client of ioredis, and how to end it. */
export interface OpenRedis {
  readonly client: Redis
  close(): void
}

export interface OpenRedisOptions {
  readonly address: SingleRedis | SentinelRedis
  /** How the client behaves; where it connects to is not for it to say. */
  readonly behaviour: Behaviour
  /** None of the sentinels told a primary; they are asked again. */
  readonly onSentinelsFailed?: () => void
}

/** What the users of a client decide, each for itself. */
type Behaviour = Pick<
  RedisOptions,
  | ('autoResendUnfulfilledCommands' | 'enableOfflineQueue' | 'maxRetriesPerRequest')
  | ('enableReadyCheck' | 'disableClientInfo' | 'retryStrategy')
  | ('connectTimeout' | 'disconnectTimeout' | 'commandTimeout')
>

/** Which of the options of ioredis say where an address leads. */
type Place = Pick<
  RedisOptions,
  | ('host' | 'port' | 'db')
  | ('sentinels' | 'name' | 'role' | 'failoverDetector' | 'sentinelUsername' | 'sentinelPassword')
  | ('enableTLSForSentinelMode' | 'sentinelTLS' | 'sentinelCommandTimeout')
  | ('sentinelReconnectStrategy' | 'sentinelRetryStrategy')
>

type AccessOptions = Pick<RedisOptions, 'username' | 'password' | 'tls'>

/** A sentinel that accepts and stays silent is given up after so long, and the next one asked. */
const sentinelDeadlineMs = 250

/** Pause after all sentinels failed, and before one that went away is listened to again. */
const sentinelRetryMs = 250

/**
 * Opens a client of one server, or of the primary the sentinels name. With
 * sentinels, each new connection asks them anew, for as long as it takes, and a
 * switch they announce ends the connection.
 */
export function openRedis({
  address,
  behaviour,
  onSentinelsFailed = () => undefined,
}: OpenRedisOptions): OpenRedis {
  const client = new Redis({ ...placeOptions(address, onSentinelsFailed), ...behaviour })
  let isClosed = false
  let again: NodeJS.Timeout | undefined

  // A switch that is announced while the sentinels are being asked makes ioredis 6.0.0 give up for good.
  client.on('end', () => {
    if (isClosed) return
    // A failure is told by the event `error`, and followed by another `end`.
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

/** Says to ioredis where an address leads. */
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
    ...(isEncrypted ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    sentinelCommandTimeout: sentinelDeadlineMs,
    sentinelReconnectStrategy: () => sentinelRetryMs,
    // Without a number ioredis gives the connection up for good.
    sentinelRetryStrategy() {
      onSentinelsFailed()
      return sentinelRetryMs
    },
  }
}

/** Credentials and TLS, which are the same for every server of an address. */
export function accessOptions({ isEncrypted, username, password }: RedisAddress): AccessOptions {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isEncrypted ? { tls: {} } : {}),
  }
}
