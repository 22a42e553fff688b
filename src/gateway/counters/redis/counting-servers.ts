import type { CallBatch } from './call-batch.ts'
import type { CountingServer, CountingServerOptions } from './counting-server.ts'
import type { ScriptCall, ScriptHandlers, ScriptReply } from './redis-connection.ts'
import type { StoreClock } from './store-clock.ts'

/** What differs between servers, and depends on their arrangement. */
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
  /** From now on its server decides every bucket. */
  onUp(): void
  /** Some buckets have lost their server for a while. */
  onDown(): void
}

/** The servers that hold the buckets: one server, or the primaries of a cluster. */
export interface CountingServers {
  /** One script call can only address buckets with the same slot. Always 0 on a single server. */
  slotOf(bucket: string): number
  /** Undefined when no server is known to have the slot. */
  serverOf(slot: number): CountingServer | undefined
  /** The clock that defines the bucket's windows. */
  clockOf(bucket: string): Pick<StoreClock, 'now'>
  /** Sends each batch of a turn to the server of its slot. Every call gets a decision in the end. */
  send(turn: ReadonlyMap<number, CallBatch>): void
  /** Runs a script on keys of one slot, wherever that slot is, for requests that hold up no call. Rejects as {@link RedisConnection.ask} does. */
  ask(slot: number, command: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Whether every bucket has a server that decides it. */
  isUp(): boolean
  beat(): void
  close(): void
}
