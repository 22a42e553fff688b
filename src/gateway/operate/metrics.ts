import { Counter, Gauge, type Registry } from 'prom-client'
import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Decision } from '../counters/counter.ts'
import { awayCauses, type CounterObserver } from '../counters/counter-observer.ts'
import { createTalliedCounter } from './tallied-counter.ts'
import { createTalliedHistogram } from './tallied-histogram.ts'

/** Seconds; fine below 10 ms, where a gateway lives, up to the total time-out. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const operationLabels = ['api', 'version', 'operation'] as const

/** How a call ended: forwarded, given up by the client, a preflight of the portal's page answered, or the code of our refusal. */
export type CallOutcome = 'forwarded' | 'aborted' | 'preflight' | ErrorCode

/** One finished call as the metrics see it; durations in seconds. */
export interface FinishedCall {
  readonly version: ApiVersion | undefined
  readonly operation: Operation | undefined
  readonly status: number
  readonly outcome: CallOutcome
  readonly decision: Decision | 'observed' | undefined
  readonly totalSeconds: number
  /** Undefined when nothing was forwarded. */
  readonly upstreamSeconds: number | undefined
}

/**
 * The gateway's metrics. Label values come from the catalogue and from our own
 * tables only, so their number is bounded; there is no application label.
 */
export interface GatewayMetrics {
  observe(call: FinishedCall): void
  /** For the counter on Redis. */
  readonly counterObserver: CounterObserver
  /** Asks at every scrape. Once for each store. */
  watchStore(store: 'counters' | 'registry', isUp: () => boolean): void
  setGeneration(generation: number): void
  countReload(result: 'success' | 'failure'): void
}

/** What is not remembered for developers. */
export interface RecordingMetrics {
  /** Call records that had to make way or were not written. */
  recordsLost(records: number): void
  /** Calls that the usage does not count. */
  usageLost(calls: number): void
}

export function createGatewayMetrics(registry: Registry): GatewayMetrics & RecordingMetrics {
  const registers = [registry]
  const requests = createTalliedCounter({
    name: 'gateway_requests_total',
    help: 'Calls by operation, status class and outcome (forwarded, aborted or the code of the refusal)',
    labelNames: [...operationLabels, 'status_class', 'outcome'],
    registers,
  })
  const duration = createTalliedHistogram({
    name: 'gateway_request_duration_seconds',
    help: 'From the request header block to the end of the answer',
    labelNames: operationLabels,
    buckets,
    registers,
  })
  const upstream = createTalliedHistogram({
    name: 'gateway_upstream_duration_seconds',
    help: 'From forwarding a call to the end of the answer of the backend',
    labelNames: operationLabels,
    buckets,
    registers,
  })
  const overhead = createTalliedHistogram({
    name: 'gateway_overhead_duration_seconds',
    help: 'Time of an admitted call that was not spent waiting for the backend',
    labelNames: operationLabels,
    buckets,
    registers,
  })
  const decisions = createTalliedCounter({
    name: 'gateway_limit_decisions_total',
    help: 'Decisions of the limit by operation',
    labelNames: [...operationLabels, 'decision'],
    registers,
  })
  const storeDuration = createTalliedHistogram({
    name: 'gateway_limit_store_duration_seconds',
    help: 'Time for one answer of the counter store',
    buckets,
    registers,
  }).series({})
  const switches = new Counter({
    name: 'gateway_limit_store_switches_total',
    help: 'How often calls began to be decided by Redis (shared) or by each process alone (local), by cause; in a cluster for each node',
    labelNames: ['to', 'cause'],
    registers,
  })
  const forfeited = new Counter({
    name: 'gateway_limit_calls_forfeited_total',
    help: 'Calls Redis was asked about and did not answer in time; it may have counted them, and the outage policy decided',
    registers,
  })
  const processesSeen = new Gauge({
    name: 'gateway_processes',
    help: 'Gateway processes that told Redis in the last five seconds that they admit calls',
    registers,
    aggregator: 'max',
  })
  const processesConfigured = new Gauge({
    name: 'gateway_processes_configured',
    help: 'How many there are at most by GATEWAY_PROCESSES',
    registers,
    aggregator: 'max',
  })
  const stores = new Map<string, () => boolean>()
  new Gauge({
    name: 'gateway_store_up',
    help: '1 while the store answers',
    labelNames: ['store'],
    registers,
    aggregator: 'min',
    collect() {
      for (const [store, isUp] of stores) this.set({ store }, isUp() ? 1 : 0)
    },
  })
  const generation = new Gauge({
    name: 'gateway_config_generation',
    help: 'Counts up with every configuration taken into force',
    registers,
    aggregator: 'min',
  })
  const reloads = new Counter({
    name: 'gateway_config_reloads_total',
    help: 'Reloads by result',
    labelNames: ['result'],
    registers,
  })

  // A first event is no growth to Prometheus unless it saw none before.
  for (const cause of awayCauses) switches.inc({ to: 'local', cause }, 0)
  switches.inc({ to: 'shared', cause: 'recovered' }, 0)
  for (const result of ['success', 'failure']) reloads.inc({ result }, 0)

  const recordsLost = new Counter({
    name: 'gateway_call_records_lost_total',
    help: 'Call records that were not written: more than fit between two writes, or the database did not take them',
    registers,
  })
  const usageLost = new Counter({
    name: 'gateway_usage_calls_lost_total',
    help: 'Calls missing in the usage that developers see',
    registers,
  })

  /** By operation or version; every configuration brings new ones, so their labels decide what a series is. */
  const series = new WeakMap<object, ReturnType<typeof createSeries>>()
  const byLabels = new Map<string, ReturnType<typeof createSeries>>()
  const unrouted = createSeries('none', 'none', 'none')

  function createSeries(api: string, version: string, operation: string) {
    const labels = { api, version, operation }
    return {
      requests: memo((outcome: CallOutcome) =>
        memo((status_class: string) => requests.series({ ...labels, status_class, outcome })),
      ),
      decisions: memo((decision: string) => decisions.series({ ...labels, decision })),
      duration: duration.series(labels),
      upstream: upstream.series(labels),
      overhead: overhead.series(labels),
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
      found.duration.observe(call.totalSeconds)
      if (call.upstreamSeconds !== undefined) {
        found.upstream.observe(call.upstreamSeconds)
        found.overhead.observe(Math.max(0, call.totalSeconds - call.upstreamSeconds))
      }
      if (call.decision !== undefined) found.decisions(call.decision).count += 1
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
    watchStore: (store, isUp) => void stores.set(store, isUp),
    setGeneration: (value) => generation.set(value),
    countReload: (result) => reloads.inc({ result }),
    recordsLost: (records) => recordsLost.inc(records),
    usageLost: (calls) => usageLost.inc(calls),
  }
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']

/** `2xx` … `5xx`; `none` where no status was sent. */
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
