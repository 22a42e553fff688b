import { Gauge, type Registry } from 'prom-client'
import type { PoolLoad } from './pool-load.ts'

export interface LoadGaugeOptions {
  readonly name: string
  readonly help: string
  readonly registers: Registry[]
  /** Read at every scrape; 0 until it is known. */
  readonly read: () => number | undefined
}

/** Creates a gauge that shows a current number of the process at each scrape. */
export function createLoadGauge({ read, ...gauge }: LoadGaugeOptions): void {
  new Gauge({
    ...gauge,
    collect() {
      this.set(read() ?? 0)
    },
  })
}

/** One of the pools that lead to the same kind of place. */
export interface LabelledLoad {
  readonly labels: Readonly<Record<string, string>>
  readonly load: PoolLoad
}

export interface PoolGaugesOptions {
  /** `gateway_backend`: the gauges are `…_connections` by state and `…_waiting`. */
  readonly prefix: string
  /** What the connections lead to. */
  readonly to: string
  /** What may wait for one, at the beginning of a sentence. */
  readonly waits: string
  readonly registers: Registry[]
  /** What distinguishes several pools. (Default: one pool without labels) */
  readonly labelNames?: readonly string[]
  /** Read at every scrape; empty before they are known. */
  readonly read: () => readonly LabelledLoad[]
}

/** The gauges of the pool that every process has for PostgreSQL. */
export const databaseGauges = {
  prefix: 'gateway_database',
  to: 'PostgreSQL',
  waits: 'Statements',
} as const

/** Creates the gauges of a pool of connections. */
export function createPoolGauges(options: PoolGaugesOptions): void {
  const { prefix, to, waits, registers, labelNames = [], read } = options
  new Gauge({
    name: `${prefix}_connections`,
    help: `Connections to ${to} by state: busy or idle`,
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      for (const { labels, load } of read()) {
        this.set({ ...labels, state: 'busy' }, load.busy)
        this.set({ ...labels, state: 'idle' }, load.idle)
      }
    },
  })
  new Gauge({
    name: `${prefix}_waiting`,
    help: `${waits} that wait for a connection to ${to}`,
    labelNames,
    registers,
    collect() {
      for (const { labels, load } of read()) this.set(labels, load.waiting)
    },
  })
}
