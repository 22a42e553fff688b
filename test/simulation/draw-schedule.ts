import { createRandom, type Random } from '../support/random.ts'
import {
  type BucketPlan,
  type Calls,
  type Fault,
  type GatewayPlan,
  type OperatorReset,
  type PlannedEvent,
  plannedMs,
  type Schedule,
  type Shape,
  shapes,
} from './schedule.ts'

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
type Kind = Exclude<Fault['kind'], 'evict' | 'double'> | 'hiccup'

/** Draws a schedule. */
export function createSchedule(seed: number): Schedule {
  const disturbed = drawDisturbed(seed)
  return createRandom(seed, 'in turn').next() < 0.05 ? calmed(disturbed) : disturbed
}

function drawDisturbed(seed: number): Schedule {
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
  const stream = (name: string) => createRandom(seed, name)
  const apart = drawLossApart(stream('apart'), drawn)
  const outage = drawOutageAtStart(stream('away'), drawn)
  const planned = [
    ...calls,
    ...faults,
    ...apart.events,
    ...drawFlapping(stream('flapping'), drawn),
    ...drawEvictions(stream('evictions'), drawn),
    ...drawDoubles(stream('doubles'), drawn),
    ...drawResets(stream('operator'), drawn),
    ...drawMoves(stream('moves'), drawn),
  ]
  const events = [
    ...outage.events,
    ...planned.map((event) => ({ ...event, atMs: event.atMs + ageMs })),
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

/** Draws a server that evicts keys, some at a time. */
function drawEvictions(
  random: Random,
  { begin, shape, buckets }: Drawn & { readonly shape: Shape },
): PlannedEvent[] {
  if (random.next() < 0.88) return []
  return Array.from({ length: random.between(1, 3) }, (): PlannedEvent => {
    const isMarker = random.next() < 0.3
    const isList = random.next() < 0.3
    return {
      kind: 'evict',
      server: random.between(0, shape === 'cluster' ? 2 : 0),
      isMarker,
      isList,
      buckets: [...buckets.keys()].filter(() => random.next() < 0.5),
      atMs: random.between(begin, plannedMs),
    }
  })
}

/** Draws commands that run twice, the second time soon or late. */
function drawDoubles(
  random: Random,
  { begin, count, shape }: Drawn & { readonly shape: Shape },
): PlannedEvent[] {
  if (random.next() < 0.9) return []
  return Array.from({ length: random.between(1, 2) }, (): PlannedEvent => {
    return {
      kind: 'double',
      gateway: random.between(0, count - 1),
      server: random.between(0, shape === 'cluster' ? 2 : 0),
      forMs: random.pick([50, 300, 1500]),
      afterMs: random.pick([0, 5, 100, 400]),
      atMs: random.between(begin, plannedMs),
    }
  })
}

/** Draws slots that move, beside other faults or alone. */
function drawMoves(
  random: Random,
  { begin, shape, buckets }: Drawn & { readonly shape: Shape },
): PlannedEvent[] {
  if (shape !== 'cluster' || random.next() < 0.5) return []
  return [
    {
      kind: 'move-slot',
      bucket: random.between(0, buckets.length - 1),
      to: random.between(0, 2),
      forMs: random.pick([5, 50, 300]),
      atMs: random.between(begin, plannedMs),
    },
  ]
}

function drawResets(random: Random, { begin, count, buckets }: Drawn): PlannedEvent[] {
  if (random.next() < 0.88) return []
  return Array.from({ length: random.between(1, 2) }, (): PlannedEvent => {
    return { ...drawReset(random, count, buckets), atMs: random.between(begin + 300, plannedMs) }
  })
}

function drawReset(random: Random, count: number, buckets: readonly BucketPlan[]): OperatorReset {
  return {
    kind: 'operator-reset',
    gateway: random.between(0, count - 1),
    bucket: random.between(0, buckets.length - 1),
    toldMs: random.pick([1, 50, 600]),
  }
}

/**
 * The same store and gateways without a fault, and calls that wait for each
 * other and keep away from the edges of windows: their order and their windows
 * are known, so that any other counter must decide the same.
 */
function calmed(schedule: Schedule): Schedule {
  const { seed, buckets, isOldStore, delay } = schedule
  const random = createRandom(seed, 'calm')
  const most = Math.min(delay.most, delay.least + 2)
  // A packet there and one back, and the time of a turn at each end.
  const tripMs = Math.ceil(2 * most) + 4
  const count = schedule.gateways.length
  const events: PlannedEvent[] = []
  let atMs = (isOldStore ? 1000 : 2000) + tripMs
  for (let call = random.between(20, 40); call > 0; call -= 1) {
    const isReset = random.next() < 0.05
    const event = isReset ? drawReset(random, count, buckets) : drawCall(random, count, buckets)
    const takesMs = tripMs + ('toldMs' in event ? event.toldMs + tripMs : 0)
    // All windows begin at a full second.
    const pastMs = atMs % 1000
    if (pastMs + takesMs >= 1000) atMs += 1000 - pastMs + tripMs
    else if (pastMs < tripMs) atMs += tripMs - pastMs
    events.push({ ...event, atMs })
    atMs += takesMs + random.pick([1, 1, 20, 150])
  }
  return {
    ...schedule,
    isInTurn: true,
    ageMs: 0,
    delay: { least: delay.least, most },
    gateways: schedule.gateways.map((gateway) => ({ ...gateway, startMs: gateway.startMs % 40 })),
    events,
  }
}

function drawCall(random: Random, count: number, buckets: readonly BucketPlan[]): Calls {
  const first = random.between(0, buckets.length - 1)
  const together = [...buckets.keys()].filter(
    (index) =>
      index !== first &&
      buckets[index]?.application === buckets[first]?.application &&
      random.next() < 0.3,
  )
  return {
    kind: 'calls',
    gateway: random.between(0, count - 1),
    buckets: [first, ...together],
    times: 1,
    onOutage: 'local-share',
  }
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
