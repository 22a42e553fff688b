import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { TransferredCatalogue } from '../catalogue/transferred-catalogue.ts'
import type { Settings } from '../platform/settings.ts'

/** Everything one process has counted and measured, in the form prom-client exports. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** A published configuration on its way to a worker. */
export interface PublishedMessage {
  readonly catalogue: TransferredCatalogue
  readonly generation: number
}

/** What a worker receives at startup. */
export interface WorkerStart {
  /** The settings of the process, with secrets opened and bounds divided among the workers. */
  readonly settings: Settings
  /** Set even when the database is embedded in the parent process. */
  readonly databaseUrl: string
  readonly version: string
  readonly backendUrl: string
  readonly portalUrl: string
  readonly published: PublishedMessage
  /** Sustained number of call records per second; undefined for the recorder's default. */
  readonly recordsPerSecond: number | undefined
}

/** One dependency of a worker, and whether it is available. */
export interface WorkerState {
  readonly name: string
  readonly isReady: boolean
}

/** Messages from the parent process to a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'publish'; readonly published: PublishedMessage }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Keep serving, but ask each client to close its connection with the response. */
  | { readonly kind: 'ending' }
  /** Accept nothing more, finish current calls, write pending records, exit. */
  | { readonly kind: 'stop' }

/** Messages from a worker to its parent process. */
export type FromWorker =
  /** Ready for `start`. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly origin: string }
  /** The worker could not start, with the reason for the operator. It exits by itself. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  /** `id` of the request; undefined for the final metrics before exit. */
  | {
      readonly kind: 'metrics'
      readonly id: number | undefined
      readonly metrics: MetricsSnapshot
    }
