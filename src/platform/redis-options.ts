import type { RedisOptions } from 'ioredis'
import type { RedisAddress, SentinelRedis, SingleRedis } from './redis-address.ts'

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
 * Says to ioredis where an address leads, and nothing of how to behave there.
 * With sentinels, each new connection asks them anew which server is the
 * primary, for as long as it takes, and a switch they announce ends the
 * connection.
 *
 * @param onSentinelsFailed none of the sentinels told a primary; they are asked again
 */
export function redisOptions(
  address: SingleRedis | SentinelRedis,
  onSentinelsFailed: () => void = () => undefined,
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
