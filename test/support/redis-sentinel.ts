import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { redisCommand } from './redis-command.ts'
import { type RedisServer, spawnRedis, startRedisServer } from './redis-server.ts'
import { until } from './until.ts'

/** A primary, a replica and three sentinels that watch them. */
export interface RedisSentinel {
  /** `redis+sentinel://…/tollgate`. */
  readonly url: string
  /** What they call the two servers: the "master name". */
  readonly group: string
  readonly servers: readonly [RedisServer, RedisServer]
  /** Ports of the sentinels; `redisCommand` treats each as an ordinary Redis. */
  readonly sentinelPorts: readonly number[]
  /** The server most sentinels name now. */
  primary(): Promise<RedisServer>
  /** Resolves once most sentinels name another primary than this one, and it accepts writes. */
  switched(from: RedisServer): Promise<RedisServer>
  /**
   * Has the sentinels switch without a failure, and resolves when they have. The old primary remains one for some seconds.
   */
  failover(): Promise<RedisServer>
  /** Makes the other server follow the primary, which the sentinels do by and by, and resolves when it does. */
  follow(): Promise<void>
  stop(): Promise<void>
}

const group = 'tollgate'
// A sentinel pings a new primary for the first time after a second, or after this time if that is shorter. With a
// second or less it may think that the primary is down before the answer comes, and switch back.
const downAfterMs = 2000
/**
 * How often a sentinel asks each server for its role; by default every ten seconds. The reply counts as
 * fresh for three times as long: a busy sentinel may refuse to switch, and is asked again.
 */
const infoPeriodMs = 1000

/** Starts all five on loopback and resolves when the sentinels could switch. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const first = await startRedisServer()
  const second = await startRedisServer({
    args: ['--replicaof', `127.0.0.1 ${first.port}`, '--repl-diskless-sync-delay', '0'],
  })
  const servers = [first, second] as const
  await isFollowing(second)
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-sentinel-'))
  const sentinels: { port: number; id: string }[] = []
  for (let index = 0; index < 3; index += 1) {
    sentinels.push({ port: await freePort(), id: randomBytes(20).toString('hex') })
  }
  const children = await Promise.all(
    sentinels.map(async ({ port, id }) => {
      const path = join(folder, `sentinel-${port}.conf`)
      // They know each other and the replica from the start: finding out would take seconds.
      const others = sentinels.filter((other) => other.port !== port)
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel myid ${id}`,
        `sentinel monitor ${group} 127.0.0.1 ${first.port} 2`,
        `sentinel down-after-milliseconds ${group} ${downAfterMs}`,
        `sentinel failover-timeout ${group} 3000`,
        `sentinel known-replica ${group} 127.0.0.1 ${second.port}`,
        ...others.map(
          (other) => `sentinel known-sentinel ${group} 127.0.0.1 ${other.port} ${other.id}`,
        ),
      ]
      await writeFile(path, `${lines.join('\n')}\n`)
      return spawnRedis(port, [path, '--sentinel'])
    }),
  )
  const sentinelPorts = sentinels.map(({ port }) => port)

  const askSentinel = (port: number, ...command: string[]) =>
    redisCommand(port, 'SENTINEL', ...command)

  async function namedBy(sentinelPort: number): Promise<RedisServer> {
    const address = await askSentinel(sentinelPort, 'get-master-addr-by-name', group)
    return address.split('\n')[1] === String(second.port) ? second : first
  }

  async function primary(): Promise<RedisServer> {
    const named = await Promise.all(sentinelPorts.map(namedBy))
    return named.filter((server) => server === second).length >= 2 ? second : first
  }

  async function switched(from: RedisServer): Promise<RedisServer> {
    let next = from
    await until('the sentinels switch', async () => {
      next = await primary()
      return next !== from && (await next.cli('ROLE')).startsWith('master')
    })
    return next
  }

  await until('the sentinels agree', async () => {
    const states = await Promise.all(
      sentinelPorts.map((port) => askSentinel(port, 'CKQUORUM', group)),
    )
    return states.every((state) => state.startsWith('OK 3 usable'))
  })

  const replies = await Promise.all(
    sentinelPorts.map((port) => askSentinel(port, 'DEBUG', 'INFO-PERIOD', String(infoPeriodMs))),
  )
  // A refusal is an answer, too.
  if (replies.some((reply) => reply !== 'OK')) throw new Error(`sentinels: ${replies.join(', ')}`)

  return {
    url: `redis+sentinel://${sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',')}/${group}`,
    group,
    servers,
    sentinelPorts,
    primary,
    switched,
    async failover() {
      const [sentinel = 0] = sentinelPorts
      const from = await namedBy(sentinel)
      // It refuses, or gives up, while it thinks of the other server as down, which may be some seconds ago.
      // Asked again once it has switched, it would switch back: so one answer says where it is.
      await until('a sentinel switches', async () => {
        const state = await askSentinel(sentinel, 'MASTER', group)
        if (fieldOf(state, 'port') !== String(from.port)) return true
        if (!fieldOf(state, 'flags').includes('failover_in_progress')) {
          await askSentinel(sentinel, 'FAILOVER', group)
        }
        return false
      })
      return switched(from)
    },
    async follow() {
      const now = await primary()
      const other = now === first ? second : first
      await other.cli('REPLICAOF', '127.0.0.1', String(now.port))
      await isFollowing(other)
      // To a sentinel that has not seen it become a replica, it has been a primary all along: when it is promoted
      // again, that sentinel makes it a replica at once, and for many seconds there is no primary.
      await until('all sentinels see its replica', async () => {
        const seen = await Promise.all(
          sentinelPorts.map((port) => askSentinel(port, 'REPLICAS', group)),
        )
        // The port of its primary is known only from the replica itself; other flags say that it is down or cut off.
        return seen.every(
          (replica) =>
            fieldOf(replica, 'master-port') === String(now.port) &&
            fieldOf(replica, 'role-reported') === 'slave' &&
            fieldOf(replica, 'flags') === 'slave',
        )
      })
    },
    async stop() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const gone = once(child, 'exit')
          child.kill('SIGKILL')
          await gone
        }),
      )
      await Promise.all(servers.map((server) => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A field of a sentinel's reply about one server, which has a name or a value in each line.
 * @throws when the name is missing, as in an error
 */
function fieldOf(reply: string, name: string): string {
  const lines = reply.split('\n')
  const value = lines[lines.indexOf(name) + 1]
  if (!lines.includes(name) || value === undefined) throw new Error(`no ${name} in ${reply}`)
  return value
}

function isFollowing(server: RedisServer): Promise<void> {
  return until('the replica follows', async () =>
    (await server.cli('INFO', 'replication')).includes('master_link_status:up'),
  )
}
