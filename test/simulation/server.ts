import { createHash } from 'node:crypto'
import { createKeyspace, type Keyspace, type Stored, writeCommands } from './keyspace.ts'
import { isRedisError, type Lua, type RedisReply } from './lua.ts'
import { phases, type World } from './world.ts'

/** The simulated time 0, in milliseconds since 1970. */
export const beginning = Date.UTC(2026, 10, 20, 12)

/** A connection as its server sees it. */
export interface ServerSide {
  isAsking: boolean
  /** The server ended it. */
  onClosed(): void
}

/** A simulated Redis server. */
export interface Server {
  readonly name: string
  readonly keyspace: Keyspace
  /** Its clock against the true one, in milliseconds. */
  clockOffsetMs: number
  isUp: boolean
  /** Takes no writes. */
  isReplica: boolean
  runId: string
  /** True milliseconds until which it stands still. */
  pausedUntil: number
  loadingUntil: number
  /** Answers every script and every read with this error until then. */
  refusal: { readonly error: string; readonly until: number }
  /** In a cluster: decides whether it may run a command on these keys; an error otherwise. */
  redirect: (keys: readonly string[], isAsking: boolean) => string | undefined
  /** The setting `maxmemory-policy`. */
  evictionPolicy: string
  /** In a cluster: the replies to CLUSTER SLOTS and CLUSTER INFO. */
  clusterReply: ((command: string) => RedisReply) | undefined
  /** Milliseconds by which its replica lags. */
  lagMs: number
  /** The server that gets its writes. */
  replica: Server | undefined
  readonly connections: Set<ServerSide>
  timeUs(): number
  /** Runs a command of a connection, at this moment. */
  execute(connection: ServerSide, words: readonly string[]): RedisReply
  flush(): void
  forgetScripts(): void
  /** Ends all connections. */
  disconnectAll(): void
  kill(): void
  /**
   * Starts it again as another run.
   * @param lostMs writes of these milliseconds before the kill are lost; Infinity for all
   */
  restart(lostMs: number, loadingMs: number): void
  /** Takes the data of another server. */
  copyFrom(other: Server): void
}

interface Write {
  readonly atMs: number
  readonly key: string
  readonly before: Stored | undefined
}

/** How long writes can be lost by a kill, as with `appendfsync everysec`. */
const keptMs = 1000

export function createServer(name: string, world: World, lua: Lua): Server {
  let scripts = new Map<string, string>()
  /** The writes of the last second, for a restart without them. */
  let recent: Write[] = []
  let runs = 0
  let killedAt = 0

  const keyspace = createKeyspace((key, stored, before) => {
    const atMs = world.now()
    recent.push({ atMs, key, before })
    if (recent.length > 64) recent = recent.filter((write) => write.atMs > atMs - keptMs)
    replicate(() => server.replica?.keyspace.put(key, stored))
  })

  /** Reaches the replica, if that still follows this server then. */
  function replicate(run: () => void): void {
    const { replica } = server
    if (replica === undefined) return
    const run1 = server.runId
    world.at(world.now() + server.lagMs, phases.sockets, undefined, () => {
      if (server.replica === replica && replica.isReplica && server.runId === run1) run()
    })
  }

  function newRun(): string {
    runs += 1
    return createRunId(name, runs)
  }

  function runScript(words: readonly string[], text: string, sha1: string): RedisReply {
    const count = Number(words[2])
    const keys = words.slice(3, 3 + count)
    return lua.run({ text, sha1 }, keys, words.slice(3 + count), (command) => {
      const isWrite = writeCommands.has(command[0] ?? '')
      if (isWrite && server.isReplica) {
        return { err: "READONLY You can't write against a read only replica." }
      }
      return keyspace.run(command, server.timeUs())
    })
  }

  function keysOf(words: readonly string[]): readonly string[] {
    const [command] = words
    if (command === 'GET') return words.slice(1, 2)
    return command === 'EVAL' || command === 'EVALSHA' ? words.slice(3, 3 + Number(words[2])) : []
  }

  function refused(): string | undefined {
    if (world.now() < server.loadingUntil) return 'LOADING Redis is loading the dataset in memory'
    return world.now() < server.refusal.until ? server.refusal.error : undefined
  }

  const server: Server = {
    name,
    keyspace,
    clockOffsetMs: 0,
    isUp: true,
    isReplica: false,
    runId: newRun(),
    pausedUntil: 0,
    loadingUntil: 0,
    refusal: { error: '', until: 0 },
    redirect: () => undefined,
    evictionPolicy: 'noeviction',
    clusterReply: undefined,
    lagMs: 1,
    replica: undefined,
    connections: new Set(),
    timeUs: () => Math.floor((beginning + server.clockOffsetMs + world.now()) * 1000),
    execute(connection, words) {
      const [command = ''] = words
      const isAsking = connection.isAsking
      connection.isAsking = false
      if (command === 'ASKING') {
        connection.isAsking = true
        return 'OK'
      }
      if (command === 'INFO') {
        const isCluster = server.clusterReply !== undefined
        return [
          '# Server',
          'redis_version:7.0.15',
          `run_id:${server.runId}`,
          `maxmemory_policy:${server.evictionPolicy}`,
          `cluster_enabled:${isCluster ? 1 : 0}`,
        ].join('\r\n')
      }
      if (command === 'CLUSTER') {
        return (
          server.clusterReply?.(words[1] ?? '') ?? {
            err: 'ERR This instance has cluster support disabled',
          }
        )
      }
      const error = refused() ?? server.redirect(keysOf(words), isAsking)
      if (error !== undefined) return { err: error }
      if (command === 'EVAL') {
        const text = words[1] ?? ''
        const sha1 = digestOf(text)
        scripts.set(sha1, text)
        return runScript(words, text, sha1)
      }
      if (command === 'EVALSHA') {
        const text = scripts.get(words[1] ?? '')
        if (text === undefined) return { err: 'NOSCRIPT No matching script. Please use EVAL.' }
        return runScript(words, text, words[1] ?? '')
      }
      return keyspace.run(words, server.timeUs())
    },
    flush() {
      keyspace.clear()
      recent = []
      replicate(() => server.replica?.keyspace.clear())
    },
    forgetScripts() {
      scripts = new Map()
    },
    disconnectAll() {
      const all = [...server.connections]
      server.connections.clear()
      for (const connection of all) connection.onClosed()
    },
    kill() {
      server.isUp = false
      killedAt = world.now()
      server.disconnectAll()
    },
    restart(lostMs, loadingMs) {
      if (lostMs === Number.POSITIVE_INFINITY) keyspace.clear()
      else {
        for (const { atMs, key, before } of recent.toReversed()) {
          if (atMs > killedAt - lostMs) keyspace.put(key, before)
        }
      }
      recent = []
      server.runId = newRun()
      server.forgetScripts()
      server.isUp = true
      server.pausedUntil = 0
      server.loadingUntil = world.now() + loadingMs
    },
    copyFrom(other) {
      keyspace.clear()
      for (const [key, stored] of other.keyspace.entries()) keyspace.put(key, stored)
      recent = []
    },
  }
  return server
}

const digests = new Map<string, string>()

function digestOf(text: string): string {
  let digest = digests.get(text)
  if (digest === undefined) {
    digest = createHash('sha1').update(text).digest('hex')
    digests.set(text, digest)
  }
  return digest
}

/** As long as a real one, and made of letters and digits as that. */
function createRunId(name: string, run: number): string {
  return `${name.replaceAll(/\W/g, '')}run${run}`.padStart(40, '0')
}

export function errorOf(reply: RedisReply): string | undefined {
  return isRedisError(reply) ? reply.err : undefined
}
