import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '../../test/support/random.ts'
import { type CallRecord, readCalls, readLedger } from './books.ts'
import { watchCrashes } from './crashes.ts'
import { gatewayCount, gatewayIndexes } from './gateways.ts'
import {
  type Faulted,
  idleStream,
  type JudgedBucket,
  judgeHonesty,
  judgeRetries,
  judgeWindows,
  strangerStream,
} from './judge.ts'
import { type Stream, windowBegin, windowOf } from './load.ts'
import type { ModeWatch } from './mode-watch.ts'
import { monotonicMs, wallOffsetMs } from './monotonic.ts'
import { type LatencyFigures, type Outcome, violationsOfBooks } from './outcome.ts'
import { ledgerWritten, limitOf, type PlanName, type Rig } from './rig.ts'
import type { StoreProbe } from './store-probe.ts'

/** A fault, and how it is repaired. */
export interface Fault {
  readonly id: string
  readonly title: string
  /** How long it lasts at least and at most, in milliseconds; the seed decides. */
  readonly lastsMs: readonly [number, number]
  /** Whether no gateway can count with the others while it lasts. */
  readonly isOutage: boolean
  /**
   * The store loses its counts: nothing is granted for a second after its return, and longer when a gateway that was killed
   * is waited for.
   */
  readonly losesCounts?: boolean
  /**
   * What a faulted window may admit. (Default: 175: the limit and the shares of three gateways that never saw the bucket.)
   */
  readonly faultedMost?: number
  /** Gateways that cannot ask the registry while it lasts: strangers get 503 there. */
  readonly withoutRegistry?: readonly number[]
  /** Gateways that are killed: their callers are left without an answer. */
  readonly killed?: readonly number[]
  /** Over as soon as it has begun; only what follows from it lasts. */
  readonly isInstant?: boolean
  begin(parts: FaultParts): Promise<void>
  end(parts: FaultParts): Promise<void>
}

export interface FaultParts {
  readonly rig: Rig
  readonly random: Random
  /** The applications of the experiment, whose counters may be manipulated. */
  readonly applicationIds: readonly string[]
  /** The increments, and how many of these had not reached the server that takes over. */
  lost(count: number, of: number): void
  /** Spends what `sticky` and `fresh` have left, at all gateways. */
  spend(): Promise<void>
  /** From now on a gateway can know which store to ask. (Default: when it accepts writes.) */
  mended(): void
}

export interface FaultRun {
  readonly rig: Rig
  readonly modes: ModeWatch
  readonly probe: StoreProbe
  readonly seed: number
  /** How far the clock of the store is ahead of this machine's, in milliseconds. (Default: 0.) */
  readonly storeAheadMs?: number
  /** Whether the buckets of an application lie where the fault will be. (Default: they do.) */
  readonly isInPlace?: (applicationId: string) => Promise<boolean>
}

/** A call waits at most 250 ms for a store that does not answer, and the backend answers at once. */
const slowestMs = 300

/** If the machine takes this long for a call without a fault, or to do nothing, a run cannot show what a fault adds. */
const stalledMs = 40

/** Time in which counts must be shared again after the store accepts writes. */
const backMsMax = 1000

/** Time in which a gateway that was cut off from the registry must reopen its connections. */
const registryBackMs = 1500

/** Time without grants after a loss; the longer one if a gateway was killed and is waited for. */
const settleMs = 1000
const silenceMs = 5000

/**
 * Runs one fault under steady load and judges it by the books.
 *
 * Beside windows of some seconds, four buckets have one window for the whole
 * experiment: `even` is called through every gateway all the time; `sticky` was
 * used up through one gateway before the fault, so the others have never seen
 * it, the worst case of the local share; `fresh` is called for the first time
 * while the fault lasts; `wide` has no limit to speak of, for latencies.
 */
export async function runFault(
  fault: Fault,
  { rig, modes, probe, seed, storeAheadMs = 0, isInPlace = async () => true }: FaultRun,
): Promise<Outcome> {
  const random = createRandom(seed, `${fault.id} ${fault.title}`)
  let knownAt = 0
  let lost: number | undefined
  const notes: string[] = []
  const violations: string[] = []
  const unjudged: string[] = []
  const log = join(rig.folder, `calls ${fault.id} ${fault.title}`.replaceAll(/\W/g, '-'))
  const plan: PlanName = random.pick(['s3', 's4'])
  const windows = { seconds: limitOf(plan).seconds, offsetMs: wallOffsetMs() + storeAheadMs }
  async function newApplication(name: PlanName) {
    for (;;) {
      const application = await rig.newApplication(name)
      if (await isInPlace(application.applicationId)) return application
    }
  }
  const [short, even, sticky, fresh, wide] = await Promise.all([
    newApplication(plan),
    newApplication('whole'),
    newApplication('whole'),
    newApplication('whole'),
    newApplication('wide'),
  ])
  const get = {
    method: 'GET',
    path: '/v1.7.0/accounts',
    gateways: gatewayIndexes,
    perSecond: 0,
  } as const
  const timed = { windows, isObeying: true } as const
  const streams = {
    short: { ...get, name: 'short', key: short.key, ...timed, perSecond: 55 },
    shortCards: {
      ...get,
      name: 'short cards',
      key: short.key,
      ...timed,
      perSecond: 55,
      path: '/v1.7.0/card-accounts',
    },
    shortOne: {
      ...get,
      name: 'short sticky',
      key: short.key,
      ...timed,
      perSecond: 45,
      path: '/v1.7.0/consents/one',
      gateways: [random.between(0, gatewayCount - 1)],
    },
    even: { ...get, name: 'even', key: even.key, perSecond: 25 },
    sticky: { ...get, name: 'sticky', key: sticky.key },
    fresh: { ...get, name: 'fresh', key: fresh.key },
    wide: { ...get, name: 'wide', key: wide.key, perSecond: 100 },
    post: {
      ...get,
      name: 'post',
      key: wide.key,
      perSecond: 25,
      method: 'POST',
      path: '/v1.7.0/consents',
    },
    idle: { ...get, name: idleStream, key: '', path: '/nothing', perSecond: 60 },
    stranger: { ...get, name: strangerStream, key: undefined, perSecond: 5 },
  } as const satisfies Readonly<Record<string, Stream>>
  const limited = (stream: Stream, applicationId: string, operation: string): JudgedBucket => ({
    stream: stream.name,
    applicationId,
    operation: `xs2a@1.7.0 ${operation}`,
    calls: 100,
    windows: stream.windows,
  })
  const wholes = [
    limited(streams.even, even.applicationId, 'listAccounts'),
    limited(streams.sticky, sticky.applicationId, 'listAccounts'),
    limited(streams.fresh, fresh.applicationId, 'listAccounts'),
  ]
  const buckets = [
    limited(streams.short, short.applicationId, 'listAccounts'),
    limited(streams.shortCards, short.applicationId, 'listCardAccounts'),
    limited(streams.shortOne, short.applicationId, 'getConsent'),
    ...wholes,
  ]
  const parts: FaultParts = {
    rig,
    random,
    applicationIds: [short, even, sticky, fresh, wide].map(({ applicationId }) => applicationId),
    lost(count, of) {
      lost = count
      notes.push(`${count} of ${of} increments were not replicated`)
    },
    spend: () => burst([streams.sticky, 120], [streams.fresh, 160]),
    mended() {
      knownAt = monotonicMs()
    },
  }
  await waitFor(() => modes.isShared() && probe.acceptsSince() !== undefined, 10_000)
  const crashes = watchCrashes(rig.gateways)
  const startedAt = monotonicMs()
  const ports = rig.gateways.map(({ urls }) => Number(new URL(urls.gateway).port))
  await rig.order({ order: 'run', ports, streams: Object.values(streams), log, seed })
  const bursts: Faulted[] = []
  /** Bursts at the same time. */
  async function burst(...orders: (readonly [Stream, number])[]): Promise<void> {
    const from = monotonicMs()
    await Promise.all(orders.map(([stream, times]) => rig.order({ order: 'burst', stream, times })))
    bursts.push({ from, to: monotonicMs() })
  }
  await burst([{ ...streams.sticky, gateways: [0] }, 110])
  await delay(random.between(1500, 2500))
  // Every gateway knows the keys, and that they are not changed any more; the buckets are another operation's.
  const warm = { name: 'warm', path: '/v1.7.0/card-accounts' }
  await burst(
    [{ ...streams.fresh, ...warm }, 2 * gatewayCount],
    [{ ...streams.sticky, ...warm }, 2 * gatewayCount],
  )

  const faultAt = monotonicMs()
  await fault.begin(parts)
  const begunAt = monotonicMs()
  const lastsMs = random.between(...fault.lastsMs)
  if (fault.isOutage) {
    if (!(await waitFor(modes.isUnshared, 1500)))
      violations.push('a gateway did not leave shared mode')
  } else await delay(300)
  await parts.spend()
  await delay(Math.max(0, begunAt + lastsMs - monotonicMs()))
  const endAt = monotonicMs()
  await fault.end(parts)
  const isBack = await waitFor(
    () => modes.isShared() && (probe.acceptsSince() ?? Number.POSITIVE_INFINITY) <= monotonicMs(),
    8000,
  )
  await delay(300)
  if (!isBack || !modes.isShared()) violations.push('counts are not shared again')
  const backAt = modes.sharedSince(0).map((at) => at ?? monotonicMs())
  const healedAt = Math.max(...backAt, endAt)
  await burst([streams.sticky, 80], [streams.fresh, 120])
  // One window that the fault did not touch.
  await delay(windowBegin(windowOf(healedAt, windows) + 2, windows) - monotonicMs() + 50)
  await rig.order({ order: 'stop' })
  await ledgerWritten()

  const calls = readCalls(log)
  const ledger = readLedger(rig.ledger, startedAt)
  const faulted: Faulted = { from: faultAt, to: healedAt + 50 }
  const faultedMost = fault.faultedMost ?? 175
  const bounds = { faulted, faultedMost }
  const figures = judgeWindows(buckets, calls, ledger, bounds)
  const honesty = judgeHonesty(calls, ledger, {
    killed: fault.killed,
    strangerMay({ gateway, begun, ended, status }) {
      const isCutOff = fault.withoutRegistry?.includes(gateway) === true
      if (!isCutOff || ended < faultAt || begun > endAt + registryBackMs) return status === 401
      return status === 503 || (status === 401 && (begun < faultAt || ended > endAt))
    },
  })
  const retries = judgeRetries(buckets, calls)
  violations.push(
    ...violationsOfBooks(figures, honesty, retries, { healthy: 100, faulted: faultedMost }),
    ...(await crashes()),
  )
  if (
    fault.isOutage &&
    !calls.some(
      ({ stream, isAlone, status, begun }) =>
        buckets.some((bucket) => bucket.stream === stream) &&
        isAlone &&
        status === 200 &&
        begun >= faultAt,
    )
  ) {
    violations.push('no gateway admitted anything of its share')
  }
  const away = modes.unsharedSince(faultAt)
  const latency = latencyOf(calls, {
    faultAt,
    endAt,
    healedAt,
    away,
    bursts,
    isOutage: fault.isOutage,
  })
  // What calls took that no fault can have made slow.
  const machineMs = latency.healthy.reduce((a, b) => Math.max(a, b), latency.idleSlowest)
  if (latency.slowest > slowestMs) {
    const text = `a call took ${latency.slowest.toFixed()} ms`
    if (machineMs > stalledMs || latency.slowest <= slowestMs + machineMs) unjudged.push(text)
    else violations.push(text)
  }
  const acceptsAt = Math.max(probe.acceptsSince() ?? 0, knownAt)
  // A store that was there all the time was out of reach until the end.
  const mendedAt = acceptsAt > faultAt ? acceptsAt : fault.isInstant === true ? faultAt : endAt
  const hasLeft = away.some((at) => at !== undefined && at < Math.max(...backAt))
  const backMs = hasLeft ? Math.max(0, Math.max(...backAt) - mendedAt) : undefined
  const lossMs = fault.killed === undefined ? settleMs : silenceMs
  const backMost = backMsMax + (fault.losesCounts === true ? lossMs : 0)
  if (backMs !== undefined && backMs > backMost) {
    const text = `back after ${backMs.toFixed()} ms`
    if (machineMs > stalledMs) unjudged.push(text)
    else violations.push(text)
  }
  notes.push(
    `one window for all: ${wholes
      .map((bucket) => {
        const { mostFaulted, mostHealthy } = judgeWindows([bucket], calls, ledger, bounds)
        return `${bucket.stream} ${Math.max(mostFaulted, mostHealthy)}`
      })
      .join(', ')}`,
  )
  return {
    id: fault.id,
    title: fault.title,
    calls: calls.length,
    windows: figures,
    honesty,
    retries,
    latency,
    backMs,
    lost,
    notes,
    violations,
    unjudged,
  }
}

interface Phases {
  readonly faultAt: number
  readonly endAt: number
  readonly healedAt: number
  readonly away: readonly (number | undefined)[]
  readonly isOutage: boolean
  /** When our own bursts queued everywhere; what is slow then says nothing about the fault. */
  readonly bursts: readonly Faulted[]
}

function latencyOf(calls: readonly CallRecord[], phases: Phases): LatencyFigures {
  const { faultAt, endAt, healedAt, away, isOutage, bursts } = phases
  const lists = {
    healthy: [] as number[],
    first: [] as number[],
    open: [] as number[],
    idleHealthy: [] as number[],
    idleFirst: [] as number[],
    idleOpen: [] as number[],
  }
  let slowest = 0
  let idleSlowest = 0
  for (const { stream, gateway, begun, ended, status } of calls) {
    // An answer that never came has no time.
    if (status === 0) continue
    const took = ended - begun
    const isIdle = stream === idleStream
    // May have to wait for the registry.
    if (stream === strangerStream) continue
    if (bursts.some(({ from, to }) => begun < to && ended > from)) continue
    if (isIdle) idleSlowest = Math.max(idleSlowest, took)
    else slowest = Math.max(slowest, took)
    if (!isIdle && stream !== 'wide') continue
    const opened = isOutage ? (away[gateway] ?? endAt) : endAt
    if (ended < faultAt || begun > healedAt + 200)
      lists[isIdle ? 'idleHealthy' : 'healthy'].push(took)
    else if (begun >= faultAt && begun < opened) lists[isIdle ? 'idleFirst' : 'first'].push(took)
    else if (begun >= opened && ended < endAt) lists[isIdle ? 'idleOpen' : 'open'].push(took)
  }
  return { ...lists, slowest, idleSlowest }
}

/** Whether a condition comes true within the time. */
export async function waitFor(isSo: () => boolean, timeoutMs: number): Promise<boolean> {
  const until = monotonicMs() + timeoutMs
  while (!isSo()) {
    if (monotonicMs() > until) return false
    await delay(10)
  }
  return true
}
