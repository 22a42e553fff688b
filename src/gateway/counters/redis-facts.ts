/** This Redis cannot be trusted with counters. The message says what to change. */
export class RedisUnsuitableError extends Error {
  readonly code = 'REDIS_UNSUITABLE'

  constructor(message: string) {
    super(message)
    this.name = 'RedisUnsuitableError'
  }
}

const oldest = { major: 6, minor: 2 }

/**
 * Refuses a Redis that counters cannot be kept in, as far as INFO tells.
 *
 * - older than 6.2
 * - one that evicts keys under memory pressure: an evicted counter is a new
 *   quota. The policy alone is enough to refuse, with or without a `maxmemory`,
 *   because that can be set at any time while calls are counted.
 *
 * @throws {RedisUnsuitableError}
 */
export function checkRedis(
  info: ReadonlyMap<string, string>,
  { isEvictionAllowed }: { isEvictionAllowed: boolean },
): void {
  const version = info.get('redis_version')
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  if (major !== undefined && minor !== undefined) {
    const isOld =
      Number(major) < oldest.major ||
      (Number(major) === oldest.major && Number(minor) < oldest.minor)
    if (isOld) {
      throw new RedisUnsuitableError(
        `Redis ${version} is too old for counters; use ${oldest.major}.${oldest.minor} or newer`,
      )
    }
  }
  const policy = info.get('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction' && !isEvictionAllowed) {
    throw new RedisUnsuitableError(
      `Redis has maxmemory-policy ${policy} and may evict counters, and an evicted counter is a new quota. Run "CONFIG SET maxmemory-policy noeviction" (and put it into redis.conf), or accept the risk with REDIS_EVICTION_ALLOWED=true`,
    )
  }
}
