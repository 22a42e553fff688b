import type { Lua, RedisReply } from './lua.ts'
import { createServer, type Server, type ServerSide } from './server.ts'
import { type Process, phases, type World } from './world.ts'

/** What the gateways can reach, and how. */
export interface Network {
  readonly world: World
  readonly servers: ReadonlyMap<string, Server>
  /** The server that the sentinels name. */
  primary: Server
  /** Called when the sentinels name another primary. */
  readonly subscribers: Set<(primary: Server) => void>
  /** Random milliseconds that a packet takes. */
  delayMs(): number
  link(process: Process, server: Server): Link
  /** The links of a process to servers that have sent it their time. */
  toldBy(process: Process): readonly Link[]
  /** True milliseconds until which the process cannot reach the sentinels. */
  sentinelsHeldUntil: Map<Process, number>
}

/** Between one process and one server. */
export interface Link {
  /** True milliseconds until which packets wait: a network that drops them has TCP send them again. */
  heldUntil: { to: number; from: number }
  readonly connections: Set<Connection>
  /** True milliseconds until which each command runs twice, and by how much later at most the second time. */
  doubled: { readonly untilMs: number; readonly afterMs: number }
  /**
   * How old the time of the server was when a reply brought it: the least of the replies that came in time. Until one
   * did, the most of the late ones, any of which the process may have thrown away. Infinity before the first.
   */
  lagMs: number
  /** Whether a reply with the time of the server came in time. */
  isTold: boolean
}

export interface NetworkOptions {
  readonly world: World
  readonly lua: Lua
  readonly names: readonly string[]
  readonly delay: { readonly least: number; readonly most: number }
}

export function createNetwork({ world, lua, names, delay }: NetworkOptions): Network {
  const servers = new Map(names.map((name) => [name, createServer(name, world, lua)]))
  const links = new Map<Process, Map<Server, Link>>()
  const [primary] = servers.values()
  if (primary === undefined) throw new Error('a network needs a server')
  return {
    world,
    servers,
    primary,
    subscribers: new Set(),
    delayMs: () => delay.least + world.random.next() * (delay.most - delay.least),
    link(process, server) {
      let own = links.get(process)
      if (own === undefined) {
        own = new Map()
        links.set(process, own)
      }
      let link = own.get(server)
      if (link === undefined) {
        link = {
          heldUntil: { to: 0, from: 0 },
          connections: new Set(),
          doubled: { untilMs: 0, afterMs: 0 },
          lagMs: Number.POSITIVE_INFINITY,
          isTold: false,
        }
        own.set(server, link)
      }
      return link
    },
    toldBy: (process) =>
      [...(links.get(process)?.values() ?? [])].filter(
        ({ lagMs }) => lagMs < Number.POSITIVE_INFINITY,
      ),
    sentinelsHeldUntil: new Map(),
  }
}

/** One TCP connection. Each direction keeps its order. */
export interface Connection {
  send(words: readonly string[]): void
  /** No more commands; the server ends it after the last reply. */
  end(): void
  /** Loses everything on its way. Each side learns of it. */
  reset(): void
}

export interface ConnectionOptions {
  readonly network: Network
  readonly process: Process
  readonly server: Server
  onReply(reply: RedisReply): void
  onClosed(): void
}

export function openConnection(options: ConnectionOptions): Connection {
  const { network, process, server, onReply, onClosed } = options
  const { world } = network
  const link = network.link(process, server)
  let arrivedThere = 0
  let arrivedHere = 0
  /** What has arrived at the server and did not run yet. */
  let inbox: (() => void)[] = []
  let isCut = false
  let isClosed = false
  const there: ServerSide = {
    isAsking: false,
    onClosed() {
      if (!isCut) hear(close)
    },
  }
  server.connections.add(there)

  /** When a packet sent now arrives. */
  function arrival(direction: 'to' | 'from', after: number): number {
    return Math.max(after, Math.max(world.now(), link.heldUntil[direction]) + network.delayMs())
  }

  function tell(run: () => void): void {
    arrivedThere = arrival('to', arrivedThere)
    world.at(arrivedThere, phases.sockets, undefined, () => {
      inbox.push(run)
      read()
    })
  }

  /** The server runs what has arrived, in order, unless it stands still. */
  function read(): void {
    if (server.pausedUntil > world.now()) {
      world.at(server.pausedUntil, phases.sockets, undefined, read)
      return
    }
    const arrived = inbox
    inbox = []
    for (const run of arrived) if (!isCut && server.connections.has(there)) run()
  }

  function hear(run: () => void): void {
    arrivedHere = arrival('from', arrivedHere)
    world.at(arrivedHere, phases.sockets, process, () => {
      if (!isCut && !isClosed) run()
    })
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    server.connections.delete(there)
    link.connections.delete(connection)
    onClosed()
  }

  /** The second reply goes nowhere. */
  function runAgain(words: readonly string[], isAsking: boolean): void {
    const laterMs = world.random.next() * link.doubled.afterMs
    world.at(world.now() + laterMs, phases.sockets, undefined, () => {
      const isUp = server.isUp && server.pausedUntil <= world.now()
      if (isUp) server.execute({ isAsking, onClosed: () => undefined }, words)
    })
  }

  const connection: Connection = {
    send(words) {
      tell(() => {
        const { isAsking } = there
        const reply = server.execute(there, words)
        hear(() => onReply(reply))
        if (world.now() < link.doubled.untilMs) runAgain(words, isAsking)
      })
    },
    end() {
      tell(() => {
        server.connections.delete(there)
        hear(close)
      })
      // As `disconnectTimeout` of ioredis.
      world.at(world.now() + 50, phases.timers, process, () => {
        isCut = true
        close()
      })
    },
    reset() {
      if (isCut) return
      isCut = true
      server.connections.delete(there)
      world.at(world.now() + network.delayMs(), phases.sockets, process, close)
    },
  }
  link.connections.add(connection)
  return connection
}
