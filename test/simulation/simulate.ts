import type { BucketLimit, Counter, Decision } from '../../src/gateway/counters/counter.ts'
import type { RedisAddress } from '../../src/platform/redis/redis-address.ts'
import { connectClientsTo } from './client.ts'
import type { Lua } from './lua.ts'
import { compareWithMemory } from './memory-beside.ts'
import type { CounterModules } from './modules.ts'
import type { Network } from './network.ts'
import { type Calls, endOf, type Fault, type OperatorReset, type Schedule } from './schedule.ts'
import { beginning } from './server.ts'
import { createStore, evicts, type Incident, type LossyMove, type SimulatedStore } from './store.ts'
import { createWorld, type Process, phases, type World } from './world.ts'

/** One offered call, as its caller saw it. Times are true milliseconds. */
export interface CallRecord {
  readonly gateway: number
  readonly buckets: readonly number[]
  readonly onOutage: Calls['onOutage']
  readonly offeredAt: number
  decidedAt: number | undefined
  decision: Decision | undefined
  admitted: boolean
  /** Whether its process counted in the store when it was decided. */
  isShared: boolean
  /** By how much what its process took for the time of the store may have lagged when it was decided. */
  lagMs: number
  /** Whether its process had received the time of the store early enough. */
  isTold: boolean
  /** For each bucket, as the counter says. */
  windows: readonly (number | undefined)[]
  remaining: readonly number[]
  retryAfterMs: number
  /** How often the counter decided it. */
  decisions: number
}

/** An operator's reset. Times are true milliseconds. */
export interface ResetRecord {
  readonly gateway: number
  readonly bucket: number
  readonly askedAt: number
  /** When every process had learned of it; undefined for one that failed, which the store may have run or not. */
  toldAt: number | undefined
}

/** What happened of a schedule besides calls. Times are true milliseconds. */
export interface Happened {
  readonly event: OperatorReset | Fault
  readonly atMs: number
  readonly untilMs: number
}

/** A process that starts. */
export interface Start {
  readonly gateway: number
  readonly atMs: number
  /** When its calls were decided by the store, or without it because that did not come in time. */
  readyAt: number | undefined
  isShared: boolean
}

export interface History {
  readonly calls: readonly CallRecord[]
  readonly incidents: readonly Incident[]
  /** What the code of the counters threw. */
  readonly errors: readonly string[]
  /** True milliseconds until all gateways counted in the store again; undefined when they did not. */
  readonly sharedAt: number | undefined
  /** When the last fault was over and the last call planned was offered. */
  readonly watchedFrom: number
  /** What the store has counted at the end: window and count by bucket. */
  readonly stored: readonly ({ readonly window: number; readonly count: number } | undefined)[]
  readonly starts: readonly Start[]
  readonly lossyMoves: readonly LossyMove[]
  readonly resets: readonly ResetRecord[]
  readonly happened: readonly Happened[]
  /** Where the counter in memory decided otherwise. */
  readonly disagreements: readonly string[]
  /** Changes with every decision, its time, and everything that happened. */
  readonly digest: number
}

/** Time that the gateways have to share counts again. */
export const recoveryMs = 12_000

/** Time in which every process notices that the store has lost its counters. */
export const noticeMs = 700

interface Gateway {
  process: Process
  counter: Counter | undefined
  /** Its wall clock against the true one. */
  offset: number
}

export interface SimulationOptions {
  readonly modules: CounterModules
  readonly lua: Lua
}

/** Runs a schedule to its end. */
export function simulate(schedule: Schedule, { modules, lua }: SimulationOptions): History {
  const world = createWorld(schedule.seed)
  const calls: CallRecord[] = []
  const incidents: Incident[] = []
  const errors: string[] = []
  const store = createStore({ schedule, world, lua, incidents })
  const { network } = store
  connectClientsTo(network)
  const gateways = schedule.gateways.map((plan, index): Gateway => {
    const gateway = { process: processOf(index, 0), counter: undefined, offset: plan.clockOffsetMs }
    world.at(plan.startMs, phases.sockets, undefined, () => start(index))
    return gateway
  })
  const atEnd = () => ({
    starts,
    lossyMoves: store.lossyMoves,
    resets,
    happened,
    disagreements: memory?.disagreements ?? [],
    digest: digestOf(calls) ^ world.digest(),
  })
  const resets: ResetRecord[] = []
  const happened: Happened[] = []
  const memory =
    schedule.isInTurn === true ? compareWithMemory({ world, delay: schedule.delay }) : undefined
  const starts: Start[] = []
  let healedAt = 0

  function processOf(index: number, run: number): Process {
    return {
      name: `gateway ${index + 1}.${run}`,
      isDead: false,
      stalledUntil: 0,
      rate: 1 + (schedule.gateways[index]?.drift ?? 0),
      monotonicBase: 1000 * (index + 1),
    }
  }

  function start(index: number): void {
    const gateway = gateways[index]
    if (gateway === undefined) return
    const started: Start = {
      gateway: index,
      atMs: world.now(),
      readyAt: undefined,
      isShared: false,
    }
    starts.push(started)
    const process = processOf(index, starts.length)
    gateway.process = process
    gateway.counter = undefined
    incidents.push({ atMs: world.now(), what: 'started', gateway: index })
    world.within(process, () => {
      modules
        .createRedisCounter({
          address: store.address,
          processes: schedule.configured,
          isAdmitting: true,
          isEvictionAllowed: evicts(schedule),
          now: () => beginning + gateway.offset + world.now(),
          monotonic: () => world.monotonic(process),
          randomInt: (least, above) => world.random.between(least, above - 1),
          log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        })
        .then(
          (counter) => {
            if (process.isDead) return
            gateway.counter = counter
            started.readyAt = world.now()
            started.isShared = counter.isUp()
          },
          (error: unknown) => errors.push(`start: ${String(error)}`),
        )
    })
  }

  function offer(planned: Calls): void {
    const gateway = gateways[planned.gateway]
    const counter = gateway?.counter
    if (gateway === undefined || counter === undefined) return
    const limits = planned.buckets
      .map((bucket) => store.limits[bucket])
      .filter((limit) => limit !== undefined)
    world.at(world.now(), phases.sockets, gateway.process, () => {
      for (let time = 0; time < planned.times; time += 1) ask(planned, counter, limits)
    })
  }

  /** The process that resets tells the others, as the change feed does. */
  function resetBucket({ gateway: asked, bucket, toldMs }: OperatorReset): void {
    const counter = gateways[asked]?.counter
    const limit = store.limits[bucket]
    if (counter === undefined || limit === undefined) return
    const record: ResetRecord = { gateway: asked, bucket, askedAt: world.now(), toldAt: undefined }
    resets.push(record)
    world.at(world.now(), phases.sockets, gateways[asked]?.process, () => {
      const told = (epoch: number | undefined) => {
        let toldAt = world.now() + toldMs
        record.toldAt = toldAt
        memory?.reset(limit)
        for (const { process, counter: other } of gateways) {
          if (other === undefined || other === counter) continue
          const atMs = world.now() + world.random.next() * toldMs
          world.at(atMs, phases.sockets, process, () => {
            other.forget(limit.bucket, epoch)
            // A process that stood still learns of it later.
            toldAt = Math.max(toldAt, world.now())
            record.toldAt = toldAt
          })
        }
      }
      counter.reset(limit).then(told, () => undefined)
    })
  }

  /** Each process offers a call to each bucket, which brings the store what it does not know yet. */
  function askEachOnce(): void {
    for (const gateway of gateways.keys()) {
      for (const bucket of store.limits.keys()) {
        offer({ kind: 'calls', gateway, buckets: [bucket], times: 1, onOutage: 'local-share' })
      }
      world.run(world.now() + 2)
    }
  }

  function ask(planned: Calls, counter: Counter, limits: readonly BucketLimit[]): void {
    const record: CallRecord = {
      gateway: planned.gateway,
      buckets: planned.buckets,
      onOutage: planned.onOutage,
      offeredAt: world.now(),
      decidedAt: undefined,
      decision: undefined,
      admitted: false,
      isShared: false,
      lagMs: 0,
      isTold: false,
      windows: [],
      remaining: [],
      retryAfterMs: 0,
      decisions: 0,
    }
    calls.push(record)
    counter.grant(limits, planned.onOutage, (grant) => {
      record.decisions += 1
      if (record.decisions > 1) return
      record.decidedAt = world.now()
      record.decision = grant.decision
      record.admitted = grant.admitted
      record.isShared = counter.isUp()
      learnTime(record, gateways[planned.gateway])
      record.windows = grant.standings.map(({ window }) => window)
      record.remaining = grant.standings.map(({ remaining }) => remaining)
      record.retryAfterMs = grant.retryAfterMs
      memory?.compare(limits, grant)
    })
  }

  /** The best estimate from the servers; in a cluster a process keeps the time of each node. */
  function learnTime(record: CallRecord, gateway: Gateway | undefined): void {
    const told = gateway === undefined ? [] : network.toldBy(gateway.process)
    if (told.length === 0) return
    const lags = told.map(({ lagMs }) => lagMs)
    record.lagMs = schedule.shape === 'cluster' ? Math.max(...lags) : Math.min(...lags)
    record.isTold = told.some(({ isTold }) => isTold)
  }

  for (const event of schedule.events) {
    world.at(event.atMs, phases.sockets, undefined, () => happen(event))
  }

  function happen(event: Schedule['events'][number]): void {
    if (event.kind === 'calls') {
      offer(event)
      return
    }
    if (event.kind === 'operator-reset') {
      resetBucket(event)
      happened.push({ event, atMs: world.now(), untilMs: world.now() + event.toldMs })
      return
    }
    const untilMs = world.now() + durationOf(event)
    healedAt = Math.max(healedAt, untilMs)
    if (disturb(event)) happened.push({ event, atMs: world.now(), untilMs })
  }

  /** @returns whether there was something to disturb */
  function disturb(event: Fault): boolean {
    if ('gateway' in event) {
      const gateway = gateways[event.gateway]
      if (gateway === undefined) return false
      const about = { atMs: world.now(), gateway: event.gateway }
      switch (event.kind) {
        case 'crash':
          // Nothing runs before its first start.
          if (starts.every((start) => start.gateway !== event.gateway)) return false
          incidents.push({ ...about, what: 'crashed', untilMs: world.now() + event.downMs })
          gateway.process.isDead = true
          gateway.counter = undefined
          cutOff(network, world, gateway.process)
          world.at(world.now() + event.downMs, phases.sockets, undefined, () => {
            if (gateway.process.isDead) start(event.gateway)
          })
          return true
        case 'stall':
          incidents.push({ ...about, what: 'stalled', untilMs: world.now() + event.forMs })
          gateway.process.stalledUntil = Math.max(
            gateway.process.stalledUntil,
            world.now() + event.forMs,
          )
          return true
        case 'set-clock':
          gateway.offset += event.byMs
          return true
        default:
          return store.disturb(event, gateway.process)
      }
    }
    return store.disturb(event, undefined)
  }

  try {
    const plannedMs = endOf(schedule)
    world.run(plannedMs)
    const isShared = () => gateways.every(({ counter }) => counter?.isUp() === true)
    const watchedFrom = Math.max(healedAt, plannedMs)
    world.run(Math.max(plannedMs, healedAt + noticeMs))
    world.run(watchedFrom + recoveryMs, isShared)
    const sharedAt = isShared() ? world.now() : undefined
    if (sharedAt !== undefined && memory === undefined) askEachOnce()
    // What was on its way arrives.
    world.run(world.now() + 400)
    return {
      calls,
      incidents,
      errors,
      sharedAt,
      watchedFrom,
      stored: store.counts(),
      ...atEnd(),
    }
  } catch (error) {
    errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return {
      calls,
      incidents,
      errors,
      sharedAt: world.now(),
      watchedFrom: 0,
      stored: [],
      ...atEnd(),
    }
  }
}

/** The machine of a killed process ends its connections; what it had sent still arrives. */
function cutOff(network: Network, world: World, process: Process): void {
  for (const server of network.servers.values()) {
    for (const connection of network.link(process, server).connections) {
      world.at(world.now() + network.delayMs(), phases.sockets, undefined, connection.reset)
    }
  }
}

function durationOf(event: Fault): number {
  const spans = [
    'forMs' in event ? event.forMs : 0,
    'downMs' in event ? event.downMs : 0,
    'loadingMs' in event ? event.loadingMs : 0,
    'afterMs' in event ? event.afterMs : 0,
  ]
  return spans.reduce((sum, ms) => sum + ms, 0)
}

/** FNV-1a over what was decided. */
function digestOf(calls: readonly CallRecord[]): number {
  let hash = 0x811c9dc5
  for (const { decidedAt = 0, decision = '', windows, remaining } of calls) {
    const text = `${decidedAt} ${decision} ${windows.join()} ${remaining.join()};`
    for (let at = 0; at < text.length; at += 1)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

export type { RedisAddress, SimulatedStore }
