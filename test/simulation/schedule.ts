import { createRandom, type Random } from '../support/random.ts'

export const shapes = ['single', 'failover', 'cluster'] as const
export type Shape = (typeof shapes)[number]

/** Everything that a seed determines. A schedule always runs the same way. */
export interface Schedule {
  readonly seed: number
  readonly shape: Shape
  readonly gateways: readonly GatewayPlan[]
  /** Value of the setting GATEWAY_PROCESSES. */
  readonly configured: number
  /** Range of the network latency of a packet, in milliseconds. */
  readonly delay: { readonly least: number; readonly most: number }
  /** Milliseconds by which replicas lag. */
  readonly lagMs: number
  /** Milliseconds for which the gateways have been counting before the first call and the first fault. */
  readonly ageMs: number
  /** Whether the store has been running for a long time; otherwise it is new. */
  readonly isOldStore: boolean
  readonly buckets: readonly BucketPlan[]
  readonly events: readonly PlannedEvent[]
}

export interface GatewayPlan {
  readonly startMs: number
  /** Milliseconds that its monotonic clock gains per true millisecond. */
  readonly drift: number
  /** By how much its wall clock is ahead of the true time. */
  readonly clockOffsetMs: number
}

export interface BucketPlan {
  readonly application: string
  readonly windowSeconds: number
  readonly calls: number
}

/** An event at a time in milliseconds since the beginning. Gateways, servers and buckets are indexes. */
export type PlannedEvent = { readonly atMs: number } & (Calls | Fault)

export interface Calls {
  readonly kind: 'calls'
  readonly gateway: number
  /** All of one application. */
  readonly buckets: readonly number[]
  readonly times: number
  readonly onOutage: 'local-share' | 'deny'
}

export type Fault =
  /** A process is killed, and another one starts in its place. */
  | { readonly kind: 'crash'; readonly gateway: number; readonly downMs: number }
  /** A process stalls. */
  | { readonly kind: 'stall'; readonly gateway: number; readonly forMs: number }
  /** The wall clock of a process is set. */
  | { readonly kind: 'set-clock'; readonly gateway: number; readonly byMs: number }
  /** Its connections to a server break, and data in flight is lost. */
  | { readonly kind: 'reset'; readonly gateway: number; readonly server: number }
  /** The network drops packets between the two, in one direction or both. */
  | ({ readonly kind: 'partition'; readonly gateway: number; readonly server: number } & Partition)
  /** A server stalls. */
  | { readonly kind: 'pause'; readonly server: number; readonly forMs: number }
  | {
      readonly kind: 'refuse'
      readonly server: number
      readonly error: string
      readonly forMs: number
    }
  | { readonly kind: 'forget-scripts'; readonly server: number }
  | { readonly kind: 'flush'; readonly server: number }
  /** A server is killed and restarts. Writes of the last `lostMs` are lost; null: all writes. */
  | ({ readonly kind: 'restart'; readonly server: number } & Restart)
  /** The clock of the store is set. */
  | { readonly kind: 'set-store-clock'; readonly server: number; readonly byMs: number }
  /** Sentinel or the cluster promotes the replica of a server. */
  | ({ readonly kind: 'failover'; readonly server: number } & Failover)
  /** A slot of a cluster moves to another primary. */
  | {
      readonly kind: 'move-slot'
      readonly bucket: number
      readonly to: number
      readonly forMs: number
    }

interface Partition {
  readonly forMs: number
  readonly direction: 'to' | 'from' | 'both'
}

interface Restart {
  readonly downMs: number
  readonly lostMs: number | null
  readonly loadingMs: number
}

export interface Failover {
  /** The primary dies; otherwise it becomes a replica. */
  readonly isKilled: boolean
  /**
   * Milliseconds for which the store has no primary, or two primaries: the old one still serves the clients connected to it.
   */
  readonly forMs: number
  readonly isSplit: boolean
}

/** Time of the last event if `ageMs` is 0; flapping may end slightly later. */
const plannedMs = 2400

/** Time of the last planned event, in milliseconds since the beginning. */
export function endOf({ ageMs, events }: Schedule): number {
  return Math.max(ageMs + plannedMs, ...events.map(({ atMs }) => atMs))
}

/** Time after which all gateways that started together have discovered each other. */
const matureMs = 4000

/** Faults that lose no count; the store still decides every call. */
const harmless = ['set-clock', 'forget-scripts', 'hiccup', 'move-slot'] as const

/** Faults that may lose counts, without those of a replica; repeating a fault makes it more likely. */
const harmful = [
  ...(['crash', 'stall', 'reset', 'reset', 'partition', 'partition', 'pause', 'refuse'] as const),
  ...(['flush', 'restart', 'set-store-clock'] as const),
]

/** Faults of a store with replicas. */
const failovers = ['failover', 'failover', 'failover'] as const

/** Kinds to draw from; a hiccup is a short pause. */
type Kind = Fault['kind'] | 'hiccup'

/** Draws a schedule. */
export function createSchedule(seed: number): Schedule {
  const random = createRandom(seed, 'schedule')
  const chance = (probability: number) => random.next() < probability
  const shape: Shape = random.pick([...shapes, 'single', 'failover'])
  const count = random.pick([2, 2, 3, 3, 4, 5])
  const gateways = Array.from(
    { length: count },
    (): GatewayPlan => ({
      startMs: random.between(0, 40) + (chance(0.1) ? random.between(0, 1500) : 0),
      drift: (random.next() - 0.5) * 2e-4,
      clockOffsetMs: chance(0.5) ? 0 : random.between(-90_000, 90_000),
    }),
  )
  const least = random.between(1, 10) / 10
  const applications = random.between(1, 2)
  const buckets = Array.from(
    { length: random.between(1, 4) },
    (): BucketPlan => ({
      application: `app${random.between(1, applications)}`,
      windowSeconds: random.pick([1, 1, 2, 3, 3600, 3600]),
      calls: random.pick([1, 2, 3, 5, 8, 12, 20]),
    }),
  )
  const isOldStore = chance(0.7)
  const begin = isOldStore ? 100 : random.pick([100, 1300])
  const calls = drawCalls(random, { begin, count, buckets })
  const faults = drawFaults(random, { begin, count, shape, buckets })
  const ageMs = createRandom(seed, 'age').next() < 0.3 ? matureMs : 0
  const drawn = { begin, count, shape, buckets }
  const apart = drawLossApart(createRandom(seed, 'apart'), drawn)
  const flapping = drawFlapping(createRandom(seed, 'flapping'), drawn)
  const outage = drawOutageAtStart(createRandom(seed, 'away'), drawn)
  const events = [
    ...outage.events,
    ...[...calls, ...faults, ...apart.events, ...flapping].map((event) => ({
      ...event,
      atMs: event.atMs + ageMs,
    })),
  ].toSorted((a, b) => a.atMs - b.atMs)
  const { late } = apart
  return {
    seed,
    shape,
    ageMs,
    isOldStore,
    buckets,
    events,
    gateways: gateways.map((gateway, index) => ({
      ...gateway,
      ...(index === late?.gateway ? { startMs: ageMs + late.startMs } : {}),
      clockOffsetMs: outage.clockOffsetsMs[index] ?? gateway.clockOffsetMs,
    })),
    configured: count + (chance(0.2) ? random.between(1, 2) : 0),
    delay: { least, most: least + random.pick([0.2, 2, 10, 30]) },
    lagMs: random.pick([0.5, 5, 50, 300]),
  }
}

interface Drawn {
  readonly begin: number
  readonly count: number
  readonly buckets: readonly BucketPlan[]
}

function drawCalls(random: Random, { begin, count, buckets }: Drawn): PlannedEvent[] {
  const onOutage = random.next() < 0.85 ? 'local-share' : 'deny'
  const groups = random.between(8, 24)
  const from = begin + random.between(0, 400)
  // Calls in a burst compete with each other; calls spread over the whole run coincide with faults.
  const to = random.next() < 0.2 ? from + 300 : plannedMs
  return Array.from({ length: groups }, (): PlannedEvent => {
    const first = random.between(0, buckets.length - 1)
    const second = random.between(0, buckets.length - 1)
    const isSameApplication = buckets[first]?.application === buckets[second]?.application
    const isPair = first !== second && isSameApplication && random.next() < 0.3
    return {
      atMs: random.between(from, to),
      kind: 'calls',
      gateway: random.between(0, count - 1),
      onOutage,
      buckets: isPair ? [first, second] : [first],
      times: random.pick([1, 1, 1, 2, 3, 8]),
    }
  })
}

/**
 * Draws a loss of counters that one process cannot notice: the store must wait for that process, even if another has just
 * started.
 */
function drawLossApart(
  random: Random,
  { begin, count, shape }: Drawn & { readonly shape: Shape },
): {
  readonly events: readonly PlannedEvent[]
  readonly late?: Pick<GatewayPlan, 'startMs'> & { readonly gateway: number }
} {
  if (random.next() < 0.8) return { events: [] }
  const gateway = random.between(0, count - 1)
  const server = random.between(0, shape === 'cluster' ? 2 : 0)
  const atMs = random.between(begin, plannedMs - 1000)
  const forMs = random.pick([1500, 2500])
  const isStalled = random.next() < 0.5
  const lostAt = atMs + random.between(1, 300)
  const isFailover = shape !== 'single' && random.next() < 0.5
  const loss: Fault = isFailover
    ? { kind: 'failover', server, isKilled: true, isSplit: false, forMs: random.pick([1, 100]) }
    : { kind: 'flush', server }
  const events: PlannedEvent[] = [
    isStalled
      ? { kind: 'stall', gateway, forMs, atMs }
      : { kind: 'partition', gateway, server, forMs, direction: 'both', atMs },
    { ...loss, atMs: lostAt },
  ]
  if (random.next() < 0.5) return { events }
  const startMs = Math.max(0, lostAt - random.between(0, 1500))
  return { events, late: { gateway: (gateway + 1) % count, startMs } }
}

/** Draws an outage at startup, during which the processes use their own clocks. */
function drawOutageAtStart(
  random: Random,
  { count, shape }: Drawn & { readonly shape: Shape },
): { readonly events: readonly PlannedEvent[]; readonly clockOffsetsMs: readonly number[] } {
  if (random.next() < 0.93) return { events: [], clockOffsetsMs: [] }
  const error = random.pick(errors)
  const forMs = random.between(500, plannedMs)
  const events = Array.from(
    { length: shape === 'cluster' ? 3 : 1 },
    (_, server): PlannedEvent => ({ kind: 'refuse', server, error, forMs, atMs: 1 }),
  )
  const wrong = () => random.between(-5000, 5000)
  return { events, clockOffsetsMs: Array.from({ length: count }, () => random.pick([0, wrong()])) }
}

/** Draws a store that recovers and fails again: no process may get its share twice. */
function drawFlapping(
  random: Random,
  { begin, shape }: Drawn & { readonly shape: Shape },
): PlannedEvent[] {
  if (random.next() < 0.85) return []
  const server = random.between(0, shape === 'cluster' ? 2 : 0)
  const isRefusing = random.next() < 0.5
  const error = random.pick(errors)
  const durationMs = () => random.between(300, 600)
  const first = { atMs: begin + random.between(0, 400), forMs: durationMs() }
  const second = { atMs: first.atMs + first.forMs + random.between(150, 500), forMs: durationMs() }
  return [first, second].map((times) =>
    isRefusing ? { kind: 'refuse', server, error, ...times } : { kind: 'pause', server, ...times },
  )
}

const errors = [
  "OOM command not allowed when used memory > 'maxmemory'.",
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'NOREPLICAS Not enough good replicas to write.',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'NOAUTH Authentication required.',
]

function drawFaults(random: Random, drawn: Drawn & { readonly shape: Shape }): PlannedEvent[] {
  const { begin, count, shape, buckets } = drawn
  const primaries = shape === 'cluster' ? 3 : 1
  const isHarmless = random.next() < 0.3
  const number = random.pick([0, 1, 1, 1, 2, 2, 3, 4])
  const gateway = () => random.between(0, count - 1)
  const server = () => random.between(0, primaries - 1)
  const forMs = () => random.pick([5, 50, 200, 300, 600, 1200])

  function draw(): Fault {
    const kinds: readonly Kind[] = [
      ...harmless,
      ...(isHarmless ? [] : harmful),
      ...(isHarmless || shape === 'single' ? [] : failovers),
    ]
    const kind = random.pick(kinds)
    switch (kind) {
      case 'set-clock':
        return { kind, gateway: gateway(), byMs: random.pick([-3_600_000, -5000, 5000, 3_600_000]) }
      case 'hiccup':
        return { kind: 'pause', server: server(), forMs: random.between(1, 100) }
      case 'move-slot':
        if (shape !== 'cluster') return { kind: 'forget-scripts', server: server() }
        return {
          kind,
          bucket: random.between(0, buckets.length - 1),
          to: server(),
          forMs: random.pick([5, 50, 300]),
        }
      case 'crash':
        return { kind, gateway: gateway(), downMs: random.pick([10, 300, 1000]) }
      case 'stall':
        return { kind, gateway: gateway(), forMs: forMs() }
      case 'reset':
        return { kind, gateway: gateway(), server: server() }
      case 'partition': {
        const direction = random.pick(['to', 'from', 'both'] as const)
        return { kind, gateway: gateway(), server: server(), forMs: forMs(), direction }
      }
      case 'pause':
        return { kind, server: server(), forMs: forMs() }
      case 'refuse':
        return { kind, server: server(), error: random.pick(errors), forMs: forMs() }
      case 'restart':
        return {
          kind,
          server: server(),
          downMs: random.pick([1, 100, 600]),
          lostMs: random.pick([0, 100, 1000, null, null]),
          loadingMs: random.pick([0, 0, 400]),
        }
      case 'set-store-clock':
        return {
          kind,
          server: server(),
          byMs: random.pick([-30_000, -3000, -1000, 1000, 3000, 30_000]),
        }
      case 'failover': {
        const isKilled = random.next() < 0.5
        const isSplit = !isKilled && random.next() < 0.3
        return { kind, server: server(), isKilled, isSplit, forMs: random.pick([1, 100, 800]) }
      }
      default:
        return { kind, server: server() }
    }
  }

  return Array.from(
    { length: number },
    (): PlannedEvent => ({
      ...draw(),
      atMs: random.between(begin, plannedMs),
    }),
  )
}
