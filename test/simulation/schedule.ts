export const shapes = ['single', 'failover', 'cluster'] as const
export type Shape = (typeof shapes)[number]

/** Everything that a seed determines. A schedule always runs the same way. */
export interface Schedule {
  readonly seed: number
  readonly shape: Shape
  readonly gateways: readonly GatewayPlan[]
  /** Value of the setting GATEWAY_PROCESSES. */
  readonly configured: number
  /** Range of the network latency of a packet, in milliseconds. */
  readonly delay: { readonly least: number; readonly most: number }
  /** Milliseconds by which replicas lag. */
  readonly lagMs: number
  /** Milliseconds for which the gateways have been counting before the first call and the first fault. */
  readonly ageMs: number
  /** Whether the store has been running for a long time; otherwise it is new. */
  readonly isOldStore: boolean
  readonly buckets: readonly BucketPlan[]
  /** Whether each call is over before the next one, and nothing else happens: the counter in memory decides the same. */
  readonly isInTurn?: boolean
  readonly events: readonly PlannedEvent[]
}

export interface GatewayPlan {
  readonly startMs: number
  /** Milliseconds that its monotonic clock gains per true millisecond. */
  readonly drift: number
  /** By how much its wall clock is ahead of the true time. */
  readonly clockOffsetMs: number
}

export interface BucketPlan {
  readonly application: string
  readonly windowSeconds: number
  readonly calls: number
}

/** An event at a time in milliseconds since the beginning. Gateways, servers and buckets are indexes. */
export type PlannedEvent = { readonly atMs: number } & (Calls | OperatorReset | Fault)

export interface Calls {
  readonly kind: 'calls'
  readonly gateway: number
  /** All of one application. */
  readonly buckets: readonly number[]
  readonly times: number
  readonly onOutage: 'local-share' | 'deny'
}

/** An operator sets the count of a bucket to 0 through one gateway. */
export interface OperatorReset {
  readonly kind: 'operator-reset'
  readonly gateway: number
  readonly bucket: number
  /** Milliseconds until the other processes learn of it. */
  readonly toldMs: number
}

export type Fault =
  /** A process is killed, and another one starts in its place. */
  | { readonly kind: 'crash'; readonly gateway: number; readonly downMs: number }
  /** A process stalls. */
  | { readonly kind: 'stall'; readonly gateway: number; readonly forMs: number }
  /** The wall clock of a process is set. */
  | { readonly kind: 'set-clock'; readonly gateway: number; readonly byMs: number }
  /** Its connections to a server break, and data in flight is lost. */
  | { readonly kind: 'reset'; readonly gateway: number; readonly server: number }
  /** The network drops packets between the two, in one direction or both. */
  | ({ readonly kind: 'partition'; readonly gateway: number; readonly server: number } & Partition)
  /** What runs the commands of this process runs each of them again, at most `afterMs` later. */
  | {
      readonly kind: 'double'
      readonly gateway: number
      readonly server: number
      readonly forMs: number
      readonly afterMs: number
    }
  /** A server without memory evicts keys. */
  | ({ readonly kind: 'evict'; readonly server: number } & Evicted)
  /** A server stalls. */
  | { readonly kind: 'pause'; readonly server: number; readonly forMs: number }
  | {
      readonly kind: 'refuse'
      readonly server: number
      readonly error: string
      readonly forMs: number
    }
  | { readonly kind: 'forget-scripts'; readonly server: number }
  | { readonly kind: 'flush'; readonly server: number }
  /** A server is killed and restarts. Writes of the last `lostMs` are lost; null: all writes. */
  | ({ readonly kind: 'restart'; readonly server: number } & Restart)
  /** The clock of the store is set. */
  | { readonly kind: 'set-store-clock'; readonly server: number; readonly byMs: number }
  /** Sentinel or the cluster promotes the replica of a server. */
  | ({ readonly kind: 'failover'; readonly server: number } & Failover)
  /** A slot of a cluster moves to another primary. */
  | {
      readonly kind: 'move-slot'
      readonly bucket: number
      readonly to: number
      readonly forMs: number
    }

export interface Evicted {
  readonly buckets: readonly number[]
  readonly isMarker: boolean
  /** The list of processes. */
  readonly isList: boolean
}

interface Partition {
  readonly forMs: number
  readonly direction: 'to' | 'from' | 'both'
}

interface Restart {
  readonly downMs: number
  readonly lostMs: number | null
  readonly loadingMs: number
}

export interface Failover {
  /** The primary dies; otherwise it becomes a replica. */
  readonly isKilled: boolean
  /**
   * Milliseconds for which the store has no primary, or two primaries: the old one still serves the clients connected to it.
   */
  readonly forMs: number
  readonly isSplit: boolean
}

/** Time of the last event if `ageMs` is 0; flapping may end slightly later. */
export const plannedMs = 2400

/** Time of the last planned event, in milliseconds since the beginning. */
export function endOf({ ageMs, events }: Schedule): number {
  return Math.max(ageMs + plannedMs, ...events.map(({ atMs }) => atMs))
}
