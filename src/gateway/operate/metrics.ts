import { Counter, Gauge, type Registry } from 'prom-client'
import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { CallDrill } from '../../platform/http/drills.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import { createLoadGauge, createPoolGauges } from '../../platform/process/load-gauges.ts'
import type { Decision } from '../counters/counter.ts'
import { awayCauses, type CounterObserver } from '../counters/redis/counter-observer.ts'
import type { EdgeLoad } from '../edge/create-edge.ts'
import { createTalliedCounter } from './tallied-counter.ts'
import { createTalliedHistogram, type Observations } from './tallied-histogram.ts'

/** Seconds: fine below 10 ms, the usual range of a gateway, and up to the total timeout. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Seconds: what people notice. There is a series for each bucket of each operation, so they are few. */
const upstreamBuckets = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const versionLabels = ['api', 'version'] as const
const operationLabels = [...versionLabels, 'operation'] as const

/**
 * How a call ended: forwarded, aborted by the client, cut by the backend in the middle of its answer, answered OPTIONS
 * request, or the code of the gateway's refusal.
 */
export type CallOutcome = 'forwarded' | 'aborted' | 'cut' | 'preflight' | ErrorCode

/** One finished call as the metrics count it; durations in seconds. */
export interface FinishedCall {
  readonly version: ApiVersion | undefined
  readonly operation: Operation | undefined
  readonly status: number
  readonly outcome: CallOutcome
  readonly decision: Decision | 'observed' | undefined
  readonly totalSeconds: number
  /**
   * The part of `totalSeconds` before the call went to the backend, without the wait for its body; undefined if it did not.
   */
  readonly overheadSeconds: number | undefined
  /** Undefined when the call was not forwarded. */
  readonly upstreamSeconds: number | undefined
}

/**
 * The metrics of calls. Label values come only from the catalogue and from
 * fixed tables, so their number is bounded. There is no application label. This
 * folder holds everything that operators and developers can see of running
 * calls: metrics, log lines, call records, usage counts, and the control
 * socket.
 */
export interface GatewayMetrics {
  observe(call: FinishedCall): void
  /** Counts a call by what rehearsed limits would have decided. */
  rehearsed(subject: Pick<Operation, 'api' | 'version'>, decision: Decision): void
  /** Counts a call decided by a window that is more than one window ahead of the clock. */
  decidedAhead(): void
  /** Counts a drill, which is in no other metric of calls. */
  drilled(drill: CallDrill): void
  /** Shows at every scrape how much the data path has to do. */
  watchLoad(load: () => EdgeLoad): void
  /** For the counter on Redis. */
  readonly counterObserver: CounterObserver
}

/**
 * `replaced`: more calls came than are recorded, and newer records took the
 * place of older ones. `unwritten`: the database did not take them.
 */
const lossReasons = ['replaced', 'unwritten'] as const
type LossReason = (typeof lossReasons)[number]

/** Why a span was lost. */
export type SpanLossReason = (typeof spanLossReasons)[number]
const spanLossReasons = ['queue_full', 'export_failed'] as const

/** Counts what the recorder had to drop. */
export interface RecordingMetrics {
  /** Call records that developers will not see. */
  recordsLost(records: number, reason: LossReason): void
  /** Calls missing from the usage counts. */
  usageLost(calls: number): void
}

/** Counts spans that no collector got. */
export interface SpanMetrics {
  spansLost(spans: number, reason: SpanLossReason): void
}

export function createGatewayMetrics(
  registry: Registry,
): GatewayMetrics & RecordingMetrics & SpanMetrics {
  const registers = [registry]
  const requests = createTalliedCounter({
    name: 'gateway_requests_total',
    help: 'Calls by operation, status class and outcome (forwarded, aborted, cut, preflight or an error code)',
    labelNames: [...operationLabels, 'status_class', 'outcome'],
    registers,
  })
  const duration = createTalliedHistogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from the header block of a request to the end of its answer',
    labelNames: versionLabels,
    buckets,
    registers,
  })
  const upstream = createTalliedHistogram({
    name: 'gateway_upstream_duration_seconds',
    help: "Time from forwarding a call to the end of the backend's answer",
    labelNames: operationLabels,
    buckets: upstreamBuckets,
    registers,
  })
  const overhead = createTalliedHistogram({
    name: 'gateway_overhead_duration_seconds',
    help: 'Time from the header block of an admitted call until it goes to the backend, without the wait for its body',
    buckets,
    registers,
  }).series({})
  const decisions = createTalliedCounter({
    name: 'gateway_limit_decisions_total',
    help: 'Limit decisions by API version',
    labelNames: [...versionLabels, 'decision'],
    registers,
  })
  const rehearsals = new Counter({
    name: 'gateway_rehearsed_calls_total',
    help: 'Calls counted under a plan with mode: rehearse, by what its limits would have decided. No call is refused by them',
    labelNames: ['api', 'version', 'decision'],
    registers,
  })
  const decisionsAhead = new Counter({
    name: 'gateway_limit_window_ahead_total',
    help: 'Calls counted or refused by a window that lies more than one window ahead of the clock, which was wrong when the window began',
    registers,
  })
  const storeDuration = createTalliedHistogram({
    name: 'gateway_limit_store_duration_seconds',
    help: 'Time for one answer of the counter store',
    buckets,
    registers,
  }).series({})
  const drillsMade = new Counter({
    name: 'gateway_drills_total',
    help: 'Calls to the sandbox with the header Sandbox-Drill, by its value, or refused. No other metric of calls counts them',
    labelNames: ['drill'],
    registers,
  })
  const switches = new Counter({
    name: 'gateway_limit_store_switches_total',
    help: 'Switches between decisions by Redis (shared) and by each process alone (local), by cause; in a cluster for each node',
    labelNames: ['to', 'cause'],
    registers,
  })
  const forfeited = new Counter({
    name: 'gateway_limit_calls_forfeited_total',
    help: 'Calls for which Redis did not answer in time. Redis may have counted them; onStoreOutage of the plan decided',
    registers,
  })
  const processesSeen = new Gauge({
    name: 'gateway_processes',
    help: 'Gateway processes that registered in Redis in the last five seconds',
    registers,
  })
  const processesConfigured = new Gauge({
    name: 'gateway_processes_configured',
    help: 'Highest number of gateway processes, from GATEWAY_PROCESSES',
    registers,
  })
  let load: (() => EdgeLoad) | undefined
  createLoadGauge({
    name: 'gateway_calls_in_progress',
    help: 'Calls that have begun and not ended',
    registers,
    read: () => load?.().callsUnderWay,
  })
  createLoadGauge({
    name: 'gateway_upload_bytes',
    help: 'Bytes of request bodies in memory',
    registers,
    read: () => load?.().uploadOctets,
  })
  createPoolGauges({
    prefix: 'gateway_backend',
    to: 'the backend',
    waits: 'Calls',
    registers,
    labelNames: ['backend'],
    read: () =>
      [...(load?.().backends ?? [])].map(([backend, of]) => ({ labels: { backend }, load: of })),
  })

  // Prometheus sees the first event as an increase only if it scraped a 0 before.
  for (const cause of awayCauses) switches.inc({ to: 'local', cause }, 0)
  switches.inc({ to: 'shared', cause: 'recovered' }, 0)

  const recordsLost = new Counter({
    name: 'gateway_call_records_lost_total',
    help: 'Lost call records, by reason: replaced by newer ones (more calls than are recorded), or unwritten (the database did not take them)',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of lossReasons) recordsLost.inc({ reason }, 0)
  const spansLost = new Counter({
    name: 'gateway_spans_lost_total',
    help: 'Spans that no collector got, by reason: queue_full (more than it takes), or export_failed (it did not answer or refused)',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of spanLossReasons) spansLost.inc({ reason }, 0)
  const usageLost = new Counter({
    name: 'gateway_usage_calls_lost_total',
    help: 'Counted calls that are missing from the usage that developers see',
    registers,
  })

  const ofVersion = memo((api: string) =>
    memo((version: string) => ({
      duration: duration.series({ api, version }),
      decisions: memo((decision: string) => decisions.series({ api, version, decision })),
    })),
  )
  /** By operation or version. Each configuration has new objects, so the labels identify a series. */
  const series = new WeakMap<object, ReturnType<typeof createSeries>>()
  const byLabels = new Map<string, ReturnType<typeof createSeries>>()
  const unrouted = createSeries('none', 'none', 'none')

  function createSeries(api: string, version: string, operation: string) {
    const labels = { api, version, operation }
    return {
      requests: memo((outcome: CallOutcome) =>
        memo((status_class: string) => requests.series({ ...labels, status_class, outcome })),
      ),
      labels,
      /** From the first call that reached the backend. */
      upstream: undefined as Observations | undefined,
      version: ofVersion(api)(version),
    }
  }

  function seriesLabelled(...labels: readonly [api: string, version: string, operation: string]) {
    const key = JSON.stringify(labels)
    const found = byLabels.get(key) ?? createSeries(...labels)
    byLabels.set(key, found)
    return found
  }

  function seriesOf(call: FinishedCall) {
    const subject = call.operation ?? call.version
    if (subject === undefined) return unrouted
    let found = series.get(subject)
    if (found === undefined) {
      found = seriesLabelled(subject.api, subject.version, call.operation?.id ?? 'none')
      series.set(subject, found)
    }
    return found
  }

  return {
    observe(call) {
      const found = seriesOf(call)
      found.requests(call.outcome)(statusClass(call.status)).count += 1
      found.version.duration.observe(call.totalSeconds)
      if (call.upstreamSeconds !== undefined) {
        found.upstream ??= upstream.series(found.labels)
        found.upstream.observe(call.upstreamSeconds)
      }
      if (call.overheadSeconds !== undefined) overhead.observe(call.overheadSeconds)
      if (call.decision !== undefined) found.version.decisions(call.decision).count += 1
    },
    drilled: (drill) => drillsMade.inc({ drill }),
    decidedAhead: () => decisionsAhead.inc(),
    rehearsed: ({ api, version }, decision) => rehearsals.inc({ api, version, decision }),
    watchLoad(watched) {
      load = watched
    },
    counterObserver: {
      answered: (seconds) => storeDuration.observe(seconds),
      switched: (to, cause) => switches.inc({ to, cause }),
      processes(seen, configured) {
        processesSeen.set(seen)
        processesConfigured.set(configured)
      },
      forfeited: (calls) => forfeited.inc(calls),
    },
    spansLost: (spans, reason) => spansLost.inc({ reason }, spans),
    recordsLost: (records, reason) => recordsLost.inc({ reason }, records),
    usageLost: (calls) => usageLost.inc(calls),
  }
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']

/** `2xx` … `5xx`; `none` if no status was sent. */
function statusClass(status: number): string {
  return statusClasses[Math.floor(status / 100)] ?? 'none'
}

function memo<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) {
      value = make(key)
      known.set(key, value)
    }
    return value
  }
}
