import type { SentinelRedis, SingleRedis } from '../../../platform/redis/redis-address.ts'
import type { BucketState, BucketWindow } from '../counter.ts'
import { CallBatch, type WaitingCall } from './call-batch.ts'
import type { CountingServer, CountingServerOptions } from './counting-server.ts'
import { grantCommand, grantScript, readGrantReply } from './grant-script.ts'
import { wholeStore } from './part.ts'
import type { ScriptCall, ScriptHandlers, ScriptReply } from './redis-connection.ts'
import type { StoreTime } from './store-clock.ts'

/** The servers that hold the buckets: here one server, in `cluster/` several. */
export interface CountingServers {
  /** Adds a call to those that {@link endTurn} sends; false when no server decides its buckets now. */
  add(call: WaitingCall): boolean
  /** Sends the calls of this event-loop turn. Runs automatically at the end of the turn. Every call gets a decision. */
  endTurn(): void
  /** The clock that defines the bucket's windows. */
  clockOf(bucket: string): StoreTime
  /** Runs a script on the server of its keys, when no call waits for it. Rejects as {@link RedisConnection.ask} does. */
  ask: Ask
  /** Reads counts. Rejects as {@link RedisConnection.ask} does. */
  peek(buckets: readonly BucketWindow[], deadlineMs: number): Promise<readonly BucketState[]>
  /** Whether every bucket has a server that decides it. */
  isUp(): boolean
  beat(): void
  close(): void
}

export type Ask = (command: Omit<ScriptCall, keyof ScriptHandlers>) => Promise<ScriptReply>

/** What a single server and a cluster both need. */
export interface ServersOptions {
  openServer(
    options: Pick<CountingServerOptions, 'address' | 'part' | 'onShared' | 'onLost'>,
  ): CountingServer
  /** Decides the calls without a server. */
  decideAlone(batch: CallBatch): void
  /** Called when every bucket has a server that decides it. */
  onUp(): void
  /** Called when some buckets have no server that decides them. */
  onDown(): void
}

export interface OnlyServerOptions extends ServersOptions {
  readonly address: SingleRedis | SentinelRedis
}

/** Counts on one server at a time; with sentinels, a failover can replace it. */
export function createOnlyServer(options: OnlyServerOptions): CountingServers {
  const { address, openServer, decideAlone, onUp, onDown } = options
  const server = openServer({ address, part: wholeStore, onShared: onUp, onLost: onDown })
  let turn: CallBatch | undefined

  function endTurn(): void {
    if (turn === undefined) return
    const batch = turn
    turn = undefined
    // The connection may have ended since the calls arrived.
    if (server.decidesCalls()) server.send(batch)
    else decideAlone(batch)
  }

  return {
    add(call) {
      if (!server.decidesCalls()) return false
      if (turn === undefined) {
        turn = new CallBatch()
        // Runs after the poll phase, in which all calls of this turn arrive, and before the loop may sleep.
        setImmediate(endTurn)
      }
      turn.add(call)
      return true
    },
    endTurn,
    clockOf: () => server.clock,
    ask: server.connection.ask,
    peek: (buckets, deadlineMs) => peekWith(server.connection.ask, buckets, deadlineMs),
    isUp: server.decidesCalls,
    beat: server.mode.beat,
    close: server.close,
  }
}

/** Reads the counts of buckets that one request can address, in the order asked. */
export async function peekWith(
  ask: Ask,
  buckets: readonly BucketWindow[],
  deadlineMs: number,
): Promise<BucketState[]> {
  // Only these two fields, because a bucket may have others that the command would send.
  const asked = buckets.map(({ bucket, windowLength }) => ({ bucket, windowLength }))
  const command = grantCommand({ buckets: asked, groups: [] })
  const reply = await ask({ script: grantScript, ...command, deadlineMs })
  const read = readGrantReply(reply.numbers, asked)
  return asked.map(({ bucket }, index) => ({
    bucket,
    count: read.countOf(index),
    window: read.windowOf(index),
    resetMs: read.endsAtOf(index) - read.serverTimeMs,
  }))
}
