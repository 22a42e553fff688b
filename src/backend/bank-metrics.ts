import { Counter, Histogram, type Registry } from 'prom-client'

/** One finished request to the bank. */
export interface BankRequest {
  /** The gateway calls the interface, customers visit the pages. */
  readonly listener: 'interface' | 'pages'
  /** Undefined if no operation has this path. */
  readonly operation:
    | { readonly api: string; readonly version: string; readonly id: string }
    | undefined
  readonly status: number
  readonly seconds: number
}

/** The bank's metrics. Label values come from the documents only, so their number is bounded. */
export interface BankMetrics {
  observe(request: BankRequest): void
  /** Counts planned changes that failed. The bank tries them again. */
  countFailures(failures: number): void
}

const labels = ['listener', 'api', 'version', 'operation'] as const

export function createBankMetrics(registry: Registry): BankMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'bank_requests_total',
    help: 'Requests to the bank by listener (interface or pages), operation and status class',
    labelNames: [...labels, 'status_class'],
    registers,
  })
  const duration = new Histogram({
    name: 'bank_request_duration_seconds',
    help: 'Time from the header of a request to the end of its answer',
    labelNames: labels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const failures = new Counter({
    name: 'bank_clockwork_failures_total',
    help: 'Changes that only needed time (answers of customers, bookings) and failed; they are tried again',
    registers,
  })
  return {
    observe({ listener, operation, status, seconds }) {
      const { api = 'none', version = 'none', id = 'none' } = operation ?? {}
      const of = { listener, api, version, operation: id }
      requests.inc({ ...of, status_class: `${Math.floor(status / 100)}xx` })
      duration.observe(of, seconds)
    },
    countFailures: (count) => failures.inc(count),
  }
}
