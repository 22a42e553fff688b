import type { BucketLimit } from '../../src/gateway/counters/counter.ts'
import { markerOf, onlyPlace } from '../../src/gateway/counters/redis/grant-script.ts'
import { processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import type { RedisAddress, RedisHost } from '../../src/platform/redis/redis-address.ts'
import { type Cluster, createCluster } from './cluster.ts'
import type { Lua } from './lua.ts'
import { createNetwork, type Network } from './network.ts'
import type { Evicted, Failover, Fault, Schedule, Shape } from './schedule.ts'
import { beginning, type Server } from './server.ts'
import { type Process, phases, type World } from './world.ts'

/** What happened to a gateway or to the store besides calls. */
export interface Incident {
  readonly atMs: number
  readonly what:
    | 'started'
    | 'crashed'
    | 'stalled'
    | 'lost'
    | 'split'
    | 'clock'
    | 'fault'
    | 'evicted'
    | 'doubled'
  /** Undefined: all. */
  readonly gateway?: number
  /** Where it happened; after a failover the promoted one too. Undefined: everywhere. */
  readonly servers?: readonly string[]
  readonly untilMs?: number
  /** Buckets of the schedule whose counts a server evicted, by index. */
  readonly buckets?: readonly number[]
}

/** The Redis of a simulation, in one of its shapes. */
export interface SimulatedStore {
  readonly network: Network
  readonly address: RedisAddress
  /** The limit of each bucket of the schedule. */
  readonly limits: readonly BucketLimit[]
  /**
   * Breaks something.
   *
   * @param process the gateway that the fault names
   * @returns whether there was something to break
   */
  disturb(fault: Fault, process: Process | undefined): boolean
  /** What is counted in each bucket; undefined for one without a count. */
  counts(): ({ window: number; count: number } | undefined)[]
  readonly lossyMoves: readonly LossyMove[]
}

/**
 * A slot of which counts may be missing where it is: it left a server that had
 * lost its counters and still waited for those of the processes, the server
 * that it went to lost them meanwhile, or its move broke off.
 */
export interface LossyMove {
  readonly atMs: number
  readonly doneAt: number
  /** Buckets of the schedule in the slot, by index. */
  readonly buckets: readonly number[]
}

export interface StoreOptions {
  readonly schedule: Schedule
  readonly world: World
  readonly lua: Lua
  readonly incidents: Incident[]
}

/** For how long a server grants nothing after a loss, at least. */
const settleMs = 1000

/** And at most, while it waits for processes that are silent or were never met. */
const waitMostMs = 6000

/** How long a server that was a primary needs to become a replica with the data of another one. */
const resyncMs = 30

export function createStore({ schedule, world, lua, incidents }: StoreOptions): SimulatedStore {
  const { shape } = schedule
  const names = namesOf(shape)
  const network = createNetwork({ world, lua, names, delay: schedule.delay })
  const all = [...network.servers.values()]
  const primaries = all.slice(0, shape === 'cluster' ? 3 : 1)
  for (const [index, server] of primaries.entries()) {
    const replica = all[index + primaries.length]
    if (replica === undefined) continue
    server.replica = replica
    server.lagMs = schedule.lagMs
    replica.lagMs = schedule.lagMs
    replica.isReplica = true
  }
  if (evicts(schedule)) for (const server of all) server.evictionPolicy = 'allkeys-lru'
  const cluster =
    shape === 'cluster'
      ? createCluster({ world, servers: all, primaries: primaries.length })
      : undefined
  const limits = schedule.buckets.map(
    ({ application, windowSeconds, calls }, index): BucketLimit => ({
      bucket: `tollgate:{${application}}:xs2a:1.7.0:operation${index}:${windowSeconds}`,
      windowLength: windowSeconds,
      calls,
    }),
  )
  if (schedule.isOldStore) {
    const made = (beginning - 60_000) * 1000
    for (const server of primaries) {
      const { key } = cluster?.markerPlace(server) ?? onlyPlace
      const marker = {
        kind: 'string' as const,
        value: `${server.runId}:${made}`,
        expiresAt: undefined,
      }
      server.keyspace.put(key, marker)
      server.replica?.keyspace.put(key, marker)
    }
  }

  const lossyMoves: LossyMove[] = []

  /** Moves the slot of a bucket to another server. */
  function move(bucket: string, to: Server, forMs: number): boolean {
    const from = cluster?.ownerOf(bucket)
    if (cluster === undefined || from === undefined) return false
    const buckets = [...limits.keys()].filter((index) => {
      const other = limits[index]?.bucket
      return other !== undefined && cluster.isOneSlot(bucket, other)
    })
    const begun = world.now()
    const wasWaiting = isWaiting(from) && hasLostSince(from, begun - waitMostMs)
    return cluster.move(bucket, to, forMs, (end) => {
      const isLostThere = lossesOf(to).some(({ atMs }) => atMs >= begun)
      const isLossy = wasWaiting || hasLostSince(from, begun) || isLostThere
      if (end !== 'broken' && !(end === 'moved' && isLossy)) return
      lossyMoves.push({ atMs: begun, doneAt: world.now(), buckets })
    })
  }

  /** When a server lost its counters. */
  function lossesOf(server: Server): Incident[] {
    return incidents.filter(
      ({ what, servers }) => what === 'lost' && servers?.includes(server.name) === true,
    )
  }

  /** Whether the consequences of a loss lasted beyond a moment. */
  function hasLostSince(server: Server, fromMs: number): boolean {
    return lossesOf(server).some(({ atMs, untilMs = atMs }) => untilMs >= fromMs)
  }

  /** Whether a server has lost its counters, and grants nothing before the processes have pushed theirs. */
  function isWaiting(server: Server): boolean {
    const { key } = cluster?.markerPlace(server) ?? onlyPlace
    const stored = server.keyspace.find(key)
    const value = stored?.kind === 'string' ? stored.value : ''
    const made = markerOf(value) ?? Number.POSITIVE_INFINITY
    const isOfThisRun = value.startsWith(`${server.runId}:`)
    return !isOfThisRun || value.includes(' ') || server.timeUs() - made < settleMs * 1000
  }

  /** The server that is the primary of this part now. */
  function primaryOf(index: number): Server | undefined {
    return cluster === undefined ? network.primary : cluster.primaryOf(index)
  }

  /** @param whom the only gateway, servers and buckets that it concerns */
  function note(
    what: Incident['what'],
    forMs = 0,
    whom: Pick<Incident, 'gateway' | 'servers' | 'buckets'> = {},
  ): void {
    incidents.push({ atMs: world.now(), what, untilMs: world.now() + forMs, ...whom })
  }

  function later(ms: number, run: () => void): void {
    world.at(world.now() + ms, phases.sockets, undefined, run)
  }

  /** Evicts a key that is there, from the replica too. */
  function evictKey(server: Server | undefined, key: string): boolean {
    return server?.isUp === true && server.keyspace.run(['DEL', key], server.timeUs()) === 1
  }

  function evict(server: Server, { buckets, isMarker, isList }: Evicted): boolean {
    const before = incidents.length
    const ownerOf = (key: string) => cluster?.ownerOf(key) ?? server
    const gone = buckets.filter((index) => {
      const name = limits[index]?.bucket
      return name !== undefined && evictKey(ownerOf(name), name)
    })
    if (gone.length > 0) note('evicted', 0, { buckets: gone })
    if (isList && evictKey(ownerOf(processesKey), processesKey)) note('evicted')
    const { key } = cluster?.markerPlace(server) ?? onlyPlace
    if (isMarker && evictKey(server, key)) note('lost', 0, { servers: [server.name] })
    return incidents.length > before
  }

  function failOver(old: Server, { isKilled, isSplit, forMs }: Failover): boolean {
    const { replica } = old
    if (replica === undefined || !old.isUp || !replica.isUp) return false
    note('lost', forMs, { servers: [old.name, replica.name] })
    if (isSplit) note('split', forMs)
    old.replica = undefined
    if (isKilled) {
      old.kill()
      cluster?.suspect(old)
    }
    later(isKilled ? forMs : 0, () => {
      replica.isReplica = false
      if (cluster === undefined) {
        network.primary = replica
        for (const subscriber of network.subscribers) subscriber(replica)
      } else cluster.takeOver(old, replica)
      later(isSplit ? forMs : resyncMs, () => {
        if (isKilled) old.restart(0, 0)
        old.isReplica = true
        cluster?.trust(old)
        old.disconnectAll()
        old.copyFrom(replica)
        replica.replica = old
      })
    })
    return true
  }

  function disturb(fault: Fault, process: Process | undefined): boolean {
    if (fault.kind === 'move-slot') {
      const bucket = limits[fault.bucket]?.bucket
      const to = cluster?.primaryOf(fault.to)
      return bucket !== undefined && to !== undefined && move(bucket, to, fault.forMs)
    }
    if (!('server' in fault)) return false
    const server = primaryOf(fault.server)
    if (server === undefined) return false
    const servers = [server.name]
    switch (fault.kind) {
      case 'reset':
        if (process === undefined) return false
        note('fault', 0, { gateway: fault.gateway, servers })
        for (const connection of network.link(process, server).connections) connection.reset()
        return true
      case 'partition': {
        if (process === undefined) return false
        note('fault', fault.forMs, { gateway: fault.gateway, servers })
        const until = world.now() + fault.forMs
        const { heldUntil } = network.link(process, server)
        if (fault.direction !== 'from') heldUntil.to = Math.max(heldUntil.to, until)
        if (fault.direction !== 'to') heldUntil.from = Math.max(heldUntil.from, until)
        return true
      }
      case 'double': {
        if (process === undefined) return false
        note('doubled', fault.forMs + fault.afterMs, { gateway: fault.gateway, servers })
        const link = network.link(process, server)
        link.doubled = { untilMs: world.now() + fault.forMs, afterMs: fault.afterMs }
        return true
      }
      case 'evict':
        return evict(server, fault)
      case 'pause':
        // Shorter ones must not be noticed, but for the time that they take.
        if (fault.forMs > 100) note('fault', fault.forMs, { servers })
        server.pausedUntil = Math.max(server.pausedUntil, world.now() + fault.forMs)
        return true
      case 'refuse':
        note('fault', fault.forMs, { servers })
        server.refusal = { error: fault.error, until: world.now() + fault.forMs }
        return true
      case 'forget-scripts':
        server.forgetScripts()
        return true
      case 'flush':
        note('lost', 0, { servers })
        server.flush()
        return true
      case 'restart':
        if (!server.isUp) return false
        note('lost', fault.downMs + fault.loadingMs, { servers })
        server.kill()
        cluster?.suspect(server)
        later(fault.downMs, () => {
          if (server.isUp) return
          server.restart(fault.lostMs ?? Number.POSITIVE_INFINITY, fault.loadingMs)
          cluster?.trust(server)
          server.replica?.copyFrom(server)
        })
        return true
      case 'set-store-clock':
        note('clock')
        server.clockOffsetMs += fault.byMs
        return true
      case 'failover':
        return failOver(server, fault)
    }
  }

  return {
    network,
    address: addressOf(shape),
    limits,
    disturb,
    lossyMoves,
    counts: () =>
      limits.map(({ bucket }) => countOf(cluster?.ownerOf(bucket) ?? network.primary, bucket)),
  }
}

/** Whether the store of a schedule evicts keys. */
export function evicts({ events }: Schedule): boolean {
  return events.some(({ kind }) => kind === 'evict')
}

function countOf(server: Server, bucket: string) {
  const stored = server.keyspace.find(bucket)
  if (stored?.kind !== 'string') return undefined
  const [window = 0, , count = 0] = stored.value.split(' ').map(Number)
  return { window, count }
}

function namesOf(shape: Shape): string[] {
  const count = { single: 1, failover: 2, cluster: 6 }[shape]
  return Array.from({ length: count }, (_, index) => `redis${index + 1}:6379`)
}

function addressOf(shape: Shape): RedisAddress {
  const common = { isEncrypted: false, username: undefined, password: undefined }
  const host = (index: number): RedisHost => ({ host: `redis${index}`, port: 6379 })
  switch (shape) {
    case 'single':
      return { topology: 'single', ...common, server: host(1), database: 0 }
    case 'failover':
      return {
        topology: 'sentinel',
        ...common,
        sentinels: [host(1)],
        group: 'counters',
        database: 0,
        sentinelUsername: undefined,
        sentinelPassword: undefined,
      }
    case 'cluster':
      return { topology: 'cluster', ...common, nodes: [host(1), host(2), host(3)] }
  }
}

export type { Cluster }
