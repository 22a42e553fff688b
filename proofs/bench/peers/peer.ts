import type { PinnedProcess } from '../process.ts'
import type { Workbench } from '../workbench.ts'

/** What every peer is given. */
export interface World {
  readonly bench: Workbench
  readonly backendUrl: string
  readonly databaseUrl: string
  /** A Redis of the benchmark's, on the other core. */
  readonly redisUrl: string
  /** The applications' keys. */
  readonly keys: readonly string[]
  /** Options of Node for the gateways: a profile, say. */
  readonly nodeOptions: readonly string[]
}

/** Something that stands in front of the backend, running. */
export interface Peer {
  readonly name: string
  /** Origin. */
  readonly url: string
  readonly target: PinnedProcess
}
