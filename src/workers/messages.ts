import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { TransferredCatalogue } from '../catalogue/transferred-catalogue.ts'
import type { Settings } from '../platform/settings.ts'

/** All that was counted and measured in one process, as prom-client hands it over. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** A configuration in force, on its way to a worker. */
export interface PublishedMessage {
  readonly catalogue: TransferredCatalogue
  readonly generation: number
}

/** What a worker is told to begin with. */
export interface WorkerStart {
  /** Those of the process, with its secrets opened and its bounds divided. */
  readonly settings: Settings
  /** Also where the database is embedded in the process that started us. */
  readonly databaseUrl: string
  readonly version: string
  readonly backendUrl: string
  readonly portalUrl: string
  readonly published: PublishedMessage
  /** Call records written in a second in the long run; undefined: as many as usual. */
  readonly recordsPerSecond: number | undefined
}

/** One thing a worker needs to serve well, and whether it has it. */
export interface WorkerState {
  readonly name: string
  readonly isReady: boolean
}

/** From the process that was started to a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'publish'; readonly published: PublishedMessage }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Serve on, but let every answer tell its client to move. */
  | { readonly kind: 'ending' }
  /** Accept nothing more, finish what is under way, write what waits, exit. */
  | { readonly kind: 'stop' }

/** From a worker to the process that started it. */
export type FromWorker =
  /** Ready for `start`. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly origin: string }
  /** It could not start; in words fit for the operator. It ends by itself. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'states'; readonly states: readonly WorkerState[] }
  /** `id` of the question; undefined for the last ones before its end. */
  | {
      readonly kind: 'metrics'
      readonly id: number | undefined
      readonly metrics: MetricsSnapshot
    }
