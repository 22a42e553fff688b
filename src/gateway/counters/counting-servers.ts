import type { CallBatch } from './call-batch.ts'
import type { CountingServer, CountingServerOptions } from './counting-server.ts'
import type { ScriptCall, ScriptHandlers, ScriptReply } from './redis-connection.ts'
import type { StoreClock } from './store-clock.ts'

/** What differs between the servers, and is decided by where they stand. */
export type OwnOptions = Pick<
  CountingServerOptions,
  | ('address' | 'node' | 'buckets' | 'markerPlace' | 'runIdOtherwise' | 'isComplete')
  | ('onRedirected' | 'onMisplaced' | 'onShared' | 'onLost')
>

/** What every arrangement of servers needs. */
export interface ServersOptions {
  openServer(options: OwnOptions): CountingServer
  /** Decides the calls without a server. */
  decideAlone(batch: CallBatch): void
  /** Every bucket is decided by its server now. */
  onUp(): void
  /** Some are not, and will stay so for a while. */
  onDown(): void
}

/** The servers that buckets are spread over: one, or the primaries of a cluster. */
export interface CountingServers {
  /** What can be asked about in one script call has the same slot. Always 0 on one server. */
  slotOf(bucket: string): number
  /** Undefined when no server is known to have the slot. */
  serverOf(slot: number): CountingServer | undefined
  /** The time by which the windows of the bucket are counted. */
  clockOf(bucket: string): Pick<StoreClock, 'now'>
  /** Has the batches of one turn decided, each by the server that has its slot; every call is answered in the end. */
  send(turn: ReadonlyMap<number, CallBatch>): void
  /** Runs a script on keys of one slot, wherever that is; for what no call waits for. Rejects as {@link RedisConnection.ask} does. */
  ask(slot: number, command: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Whether every bucket is decided by its server. */
  isUp(): boolean
  beat(): void
  close(): void
}
