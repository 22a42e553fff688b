/** A server to connect to. */
export interface RedisHost {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

/** Parts that an address of any form can have. */
interface Access {
  /** TLS to every server, sentinels included. */
  readonly isEncrypted: boolean
  readonly username: string | undefined
  readonly password: string | undefined
}

/** `redis://` */
export interface SingleRedis extends Access {
  readonly topology: 'single'
  readonly server: RedisHost
  readonly database: number
}

/** `redis+sentinel://`: the server that the sentinels name. */
export interface SentinelRedis extends Access {
  readonly topology: 'sentinel'
  readonly sentinels: readonly RedisHost[]
  /** The sentinels' name of the group of servers, their "master name". */
  readonly group: string
  readonly database: number
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

/** `redis+cluster://`: every primary, found by asking any of these nodes. */
export interface ClusterRedis extends Access {
  readonly topology: 'cluster'
  readonly nodes: readonly RedisHost[]
}

/** Where counters are kept: the value of REDIS_URL. */
export type RedisAddress = SingleRedis | SentinelRedis | ClusterRedis

/**
 * An unusable address. The message states the fault and an example, but nothing
 * of the value, which may contain a password.
 */
export class RedisAddressError extends Error {
  readonly code = 'REDIS_ADDRESS_INVALID'

  constructor(problem: string, example: string) {
    super(`${problem} (e.g. ${example})`)
    this.name = 'RedisAddressError'
  }
}

const examples = {
  single: 'redis://user:password@host:6379/0',
  sentinel: 'redis+sentinel://user:password@host1:26379,host2:26379,host3:26379/mymaster/0',
  cluster: 'redis+cluster://user:password@host1:6379,host2:6379,host3:6379',
} as const satisfies Record<RedisAddress['topology'], string>

const form =
  /^(?<scheme>rediss?(?:\+(?<topology>sentinel|cluster))?):\/\/(?:(?<access>[^@/?#]*)@)?(?<hosts>[^@/?#]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/

/**
 * Reads an address:
 *
 *     redis://[user:password@]host[:6379][/database]
 *     redis+sentinel://[user:password@]host[:26379][,host…]/primary name[/database][?sentinelUsername=…&sentinelPassword=…]
 *     redis+cluster://[user:password@]host[:6379][,host…]
 *
 * each with `rediss` in place of `redis` for TLS. Characters that would end a
 * part are percent-encoded, as in any URL.
 *
 * @throws {RedisAddressError}
 */
export function parseRedisAddress(text: string): RedisAddress {
  const parts = form.exec(text)?.groups
  if (parts === undefined) {
    throw new RedisAddressError(
      'the value (not shown) is not a URL beginning with redis://, redis+sentinel:// or redis+cluster://, or rediss in place of redis for TLS',
      examples.single,
    )
  }
  const topology =
    parts['topology'] === 'sentinel' || parts['topology'] === 'cluster'
      ? parts['topology']
      : 'single'

  function refuse(problem: string): never {
    throw new RedisAddressError(problem, examples[topology])
  }

  function decode(name: string, value: string): string {
    try {
      return decodeURIComponent(value)
    } catch {
      return refuse(`write a % in the ${name} as %25`)
    }
  }

  function databaseOf(value: string | undefined): number {
    if (value === undefined || value === '') return 0
    if (!/^\d{1,5}$/.test(value)) refuse('the database after the host is not a number')
    return Number(value)
  }

  function accessOf(): Access {
    const [username = '', ...rest] = (parts?.['access'] ?? '').split(':')
    const password = rest.join(':')
    return {
      isEncrypted: parts?.['scheme']?.startsWith('rediss') === true,
      username: username === '' ? undefined : decode('user', username),
      password: password === '' ? undefined : decode('password', password),
    }
  }

  function hostsOf(defaultPort: number): RedisHost[] {
    return (parts?.['hosts'] ?? '').split(',').map((entry) => {
      const { bracketed, name, port } =
        /^(?:\[(?<bracketed>[\da-fA-F:.]+)\]|(?<name>[^\s:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(
          entry,
        )?.groups ?? {}
      const host = bracketed ?? name
      const number = port === undefined ? defaultPort : Number(port)
      if (host === undefined || number < 1 || number > 65_535) {
        return refuse(`"${entry}" is neither a host nor host:port`)
      }
      return { host, port: number }
    })
  }

  const path = (parts['path'] ?? '').split('/')
  const query = new URLSearchParams(parts['query'] ?? '')
  // Then the apparent host or option is part of the password and must not be shown.
  if ([...path, ...query.keys()].some((part) => part.includes('@'))) {
    refuse('write a /, ? or @ in the user or password as %2F, %3F or %40')
  }
  const known = topology === 'sentinel' ? ['sentinelUsername', 'sentinelPassword'] : []
  for (const name of query.keys()) {
    if (!known.includes(name)) refuse(`"${name}" is not a known option`)
  }
  switch (topology) {
    case 'single': {
      const [server, ...others] = hostsOf(6379)
      if (server === undefined || others.length > 0) {
        return refuse(
          'redis:// takes one server; use redis+sentinel:// or redis+cluster:// for several',
        )
      }
      if (path.length > 1) refuse('only the number of the database may follow the host')
      return { topology, ...accessOf(), server, database: databaseOf(path[0]) }
    }
    case 'sentinel': {
      const [group = '', database, ...more] = path
      if (group === '') refuse('the name under which the sentinels know the primary is missing')
      if (more.length > 0) refuse('only the number of the database may follow the primary name')
      return {
        topology,
        ...accessOf(),
        sentinels: hostsOf(26_379),
        group: decode('master name', group),
        database: databaseOf(database),
        sentinelUsername: query.get('sentinelUsername') ?? undefined,
        sentinelPassword: query.get('sentinelPassword') ?? undefined,
      }
    }
    case 'cluster': {
      if (path.join('') !== '') refuse('a cluster has no numbered databases; remove the path')
      return { topology, ...accessOf(), nodes: hostsOf(6379) }
    }
  }
}
