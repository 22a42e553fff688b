import { parseRedisAddress, type RedisAddress } from '../platform/redis/redis-address.ts'
import type { LiveSecrets } from './live-secrets.ts'

/**
 * Follows a changed REDIS_URL, in which only users and passwords may differ:
 * another server has other counts.
 *
 * @returns a copy of the address that always has the newest users and passwords
 */
export async function followRedis(
  address: RedisAddress,
  secrets: LiveSecrets,
): Promise<RedisAddress> {
  const place = withoutLogins(address)
  const secret = await secrets.follow('REDIS_URL', {
    // The settings keep only the address. Without a file, the text stays empty and is not read.
    text: '',
    check(text) {
      if (withoutLogins(parseRedisAddress(text)) !== place) throw new Error(onlyLogin)
    },
  })
  const live = { ...address }
  function take(text: string): void {
    if (text !== '') Object.assign(live, parseRedisAddress(text))
  }
  take(secret.current())
  secret.onChange(take)
  return live
}

const loginNames = ['username', 'password', 'sentinelUsername', 'sentinelPassword']

function withoutLogins(address: RedisAddress): string {
  return JSON.stringify(address, (name, value) => (loginNames.includes(name) ? undefined : value))
}

/** Why a changed address is refused that differs in more than its login: that of Redis, or of the database. */
export const onlyLogin =
  'only the user and the password may change while the process runs; restart it to use another server'
