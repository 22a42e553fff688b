import { parseRedisAddress, type RedisAddress } from '../platform/redis/redis-address.ts'
import type { LiveSecrets } from './live-secrets.ts'

/** The fault of a changed address that differs in more than a login. */
export const onlyLogin =
  'only the user and the password may change while the process runs; restart it to use another server'

/**
 * Follows a changed REDIS_URL, in which only users and passwords may differ:
 * another server has other counts.
 *
 * @returns the address, whose users and passwords are always the newest
 */
export async function followRedis(
  address: RedisAddress,
  secrets: LiveSecrets,
): Promise<RedisAddress> {
  const place = withoutLogins(address)
  const secret = await secrets.follow('REDIS_URL', {
    // Without a file it never changes.
    text: '',
    check(text) {
      if (withoutLogins(parseRedisAddress(text)) !== place) throw new Error(onlyLogin)
    },
  })
  let newest: LoginsOf = address
  function take(text: string): void {
    if (text !== '') newest = parseRedisAddress(text)
  }
  take(secret.current())
  secret.onChange(take)
  const live = { ...address }
  for (const name of loginNames) {
    if (name in address) Object.defineProperty(live, name, { get: () => newest[name] })
  }
  return live
}

const loginNames = ['username', 'password', 'sentinelUsername', 'sentinelPassword'] as const
type LoginsOf = Partial<Record<(typeof loginNames)[number], string | undefined>>

function withoutLogins(address: RedisAddress): string {
  const hidden: readonly string[] = loginNames
  return JSON.stringify(address, (name, value) => (hidden.includes(name) ? undefined : value))
}
