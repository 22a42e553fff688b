import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { TransferredCatalogue } from '../catalogue/transferred-catalogue.ts'
import type { KeyPair, UpstreamCredentials } from '../platform/http/tls.ts'
import type { LogChange } from '../platform/log/log-switch.ts'
import type { Settings } from '../platform/settings/settings.ts'

/** Everything one process has counted and measured, in the form prom-client exports. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** A published configuration on its way to a worker. */
export interface PublishedMessage {
  readonly catalogue: TransferredCatalogue
  readonly generation: number
}

/** The TLS of the workers, whose files the parent process reads. Undefined: plain, or the public authorities. */
export interface WorkerTls {
  readonly gateway: KeyPair | undefined
  readonly upstream: UpstreamCredentials | undefined
  /** Checked contents of the files of client certificates; undefined: none. */
  readonly clientTrust: readonly Buffer[] | undefined
}

/** What a worker receives at startup. */
export interface WorkerStart {
  readonly tls: WorkerTls
  /** The current texts of secrets whose files the parent process reads, by setting. */
  readonly secrets: Readonly<Record<string, string>>
  /** The settings of the process, with secrets opened and bounds divided among the workers. */
  readonly settings: Settings
  /** Set even when the database is embedded in the parent process. */
  readonly databaseUrl: string
  /** The most connections to it. */
  readonly databaseConnections: number
  readonly version: string
  readonly revision: string
  readonly backendUrl: string
  readonly portalUrl: string
  readonly published: PublishedMessage
  /** The last change of the log, perhaps over; undefined: none. Later ones come through the database. */
  readonly log: LogChange | undefined
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
  /** These certificates have changed. */
  | { readonly kind: 'tls'; readonly tls: Partial<WorkerTls> }
  /** These secrets have changed. */
  | { readonly kind: 'secrets'; readonly secrets: Readonly<Record<string, string>> }
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
  /** It serves this configuration. */
  | { readonly kind: 'published'; readonly generation: number }
  /** `id` of the request; undefined for the final metrics before exit. */
  | {
      readonly kind: 'metrics'
      readonly id: number | undefined
      readonly metrics: MetricsSnapshot
    }
