/** This Redis is not fit to hold counters. The message says what to change. */
export class RedisUnsuitableError extends Error {
  readonly code = 'REDIS_UNSUITABLE'

  constructor(message: string) {
    super(message)
    this.name = 'RedisUnsuitableError'
  }
}

/**
 * What to say of a server whose script engine does not do what Tollgate's
 * scripts rely on.
 *
 * @param found what it answered instead
 */
export function scriptsUnsuitable(found: string): RedisUnsuitableError {
  return new RedisUnsuitableError(
    `this server does not run scripts as Redis does (${found}). Tollgate counts by scripts in Lua 5.1: use Redis ${oldest.major}.${oldest.minor} or newer, or a server that runs them, and let its user call EVAL and EVALSHA`,
  )
}

const oldest = { major: 6, minor: 2 }

/**
 * Rejects a Redis that cannot keep counters, as far as INFO shows.
 *
 * - A version older than 6.2.
 * - An eviction policy that removes keys under memory pressure: an evicted
 *   counter is a new quota. The policy alone is enough, even without
 *   `maxmemory`, because an operator can set that at any time while calls are
 *   counted.
 * - A cluster node where a single server was configured, or the reverse.
 *
 * @throws {RedisUnsuitableError}
 */
export function checkRedis(
  info: ReadonlyMap<string, string>,
  { isEvictionAllowed, isCluster }: { isEvictionAllowed: boolean; isCluster: boolean },
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
  const mode = info.get('cluster_enabled')
  if (mode === '1' && !isCluster) {
    throw new RedisUnsuitableError(
      'Redis is a node of a cluster and holds some of the counters only. Name the cluster in REDIS_URL (e.g. redis+cluster://host1:6379,host2:6379)',
    )
  }
  if (mode === '0' && isCluster) {
    throw new RedisUnsuitableError(
      'Redis is no node of a cluster. Name one server in REDIS_URL (e.g. redis://host:6379/0)',
    )
  }
  const policy = info.get('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction' && !isEvictionAllowed) {
    throw new RedisUnsuitableError(
      `Redis has maxmemory-policy ${policy} and may evict counters, and an evicted counter is a new quota. Run "CONFIG SET maxmemory-policy noeviction" (and put it into redis.conf), or accept the risk with REDIS_EVICTION_ALLOWED=true`,
    )
  }
}
