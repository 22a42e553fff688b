// This folder has what counting needs only in a Redis Cluster. Read this file first: it counts on the node that has the
// slot of a bucket. `slot-source.ts` reads the map of slots, `slot-owners.ts` judges what a moved slot means,
// `node-sending.ts` sends calls and checks the marker, and `resending.ts` follows redirections.

import type { Logger } from '../../../../platform/log/log.ts'
import type { ClusterRedis } from '../../../../platform/redis/redis-address.ts'
import type { Roster } from '../../../../platform/roster.ts'
import type { BucketState, BucketWindow } from '../../counter.ts'
import { CallBatch } from '../call-batch.ts'
import { type CountingServers, peekWith, type ServersOptions } from '../servers.ts'
import type { StoreClock } from '../store-clock.ts'
import { type ClusterNode, type ClusterNodes, createClusterNodes } from './cluster-nodes.ts'
import { hashSlot } from './hash-slot.ts'
import { redirectionOf } from './redirection.ts'
import { createResending } from './resending.ts'
import { createSlotOwners, type SlotOwners } from './slot-owners.ts'
import { createSlotSource } from './slot-source.ts'

export interface ClusterServersOptions extends ServersOptions {
  readonly address: ClusterRedis
  /** For buckets whose node is unknown. */
  readonly clock: StoreClock
  readonly inFlight: Roster<CallBatch>
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'warn'>
  /** How long a call waits for a node. */
  readonly deadlineMs: number
}

/** Maximum age of the slot map in normal operation. */
const mapMs = 1000

/**
 * Spreads counting over the primaries of a cluster. This folder is all that
 * Tollgate has about clusters: it implements {@link CountingServers}, and to
 * each {@link CountingServer} it says by a {@link Part} what differs from a
 * server of its own.
 *
 * Each node has its own connection, breaker and {@link SharedMode}. A node that
 * is down affects only its own slots. Any node that sees a majority of the
 * cluster provides the slot map. It is read once a second, four times a second
 * while a node with slots is down, and at once when a node reports that a slot
 * is not its own. `slot-owners.ts` handles changes of the map; `resending.ts`
 * handles calls that a node did not decide because of such a change.
 *
 * The marker of a node is in one of its slots, which adds to the states of
 * {@link SharedMode}:
 *
 *     shared ── the slot of the marker went to another node ──▶ shared, with the same marker in another slot
 *     new node ── its first slots come from nodes that live ──▶ away, and the marker says that nothing was lost
 *     new node ── its slots come from a node that is gone ────▶ away: another run, so lost
 *     shared ── slots of a node that is gone came to it ──────▶ away; its earlier marker is replaced
 *
 * Each process detects the last case in its slot map. The first process
 * replaces the marker. The others see that it is fresh and only push their
 * floors.
 */
export function createClusterServers(options: ClusterServersOptions): CountingServers {
  const { address, clock, inFlight, monotonic, log, deadlineMs, decideAlone } = options
  const nodes: ClusterNodes = createClusterNodes({
    address,
    monotonic,
    openServer: options.openServer,
    ownerOf: (slot) => owners.of(slot),
    onRedirected: (...redirected) => resending.sendAgain(...redirected),
    onMisplaced: () => void owners.refresh(),
    onShared(node) {
      owners.welcome(node)
      if (isUp()) options.onUp()
    },
    onLost({ slots }) {
      if (slots > 0) options.onDown()
      void owners.refresh()
    },
  })
  const owners: SlotOwners = createSlotOwners({
    nodes,
    monotonic,
    onUnknown: options.onDown,
    source: createSlotSource({ address, nodes, clock, monotonic, log }),
  })
  const resending = createResending({ nodes, owners, inFlight, monotonic, decideAlone })

  /** The calls of this event-loop turn, by slot. */
  let turn = new Map<number, CallBatch>()

  function isUp(): boolean {
    if (!owners.isCovered()) return false
    for (const { server, slots } of nodes.all())
      if (slots > 0 && !server.decidesCalls()) return false
    return true
  }

  function endTurn(): void {
    if (turn.size === 0) return
    const ended = turn
    turn = new Map()
    const batches = new Map<ClusterNode, CallBatch[]>()
    for (const [slot, batch] of ended) {
      const node = owners.of(slot)
      if (node?.server.decidesCalls() !== true) decideAlone(batch)
      else {
        const others = batches.get(node)
        if (others === undefined) batches.set(node, [batch])
        else others.push(batch)
      }
    }
    const deadlineAt = monotonic() + deadlineMs
    for (const [node, own] of batches) node.send(own, { deadlineAt, redirections: 0 })
  }

  /** @param buckets of one slot */
  async function peekInSlot(
    buckets: readonly BucketWindow[],
    deadlineMs: number,
  ): Promise<BucketState[]> {
    try {
      return await peekWith(resending.ask, buckets, deadlineMs)
    } catch (error) {
      const isApart = error instanceof Error && redirectionOf(error) !== undefined
      if (!isApart || buckets.length === 1) throw error
      // The slot is moving, so ask for each bucket separately.
      const states = buckets.map((bucket) => peekInSlot([bucket], deadlineMs))
      return (await Promise.all(states)).flat()
    }
  }

  void owners.refresh()
  return {
    add(call) {
      // All buckets of a call belong to one application, and so to one slot.
      const slot = hashSlot(call.limits[0]?.bucket ?? '')
      if (owners.of(slot)?.server.decidesCalls() !== true) return false
      let batch = turn.get(slot)
      if (batch === undefined) {
        if (turn.size === 0) setImmediate(endTurn)
        batch = new CallBatch()
        turn.set(slot, batch)
      }
      batch.add(call)
      return true
    },
    endTurn,
    clockOf: (bucket) => owners.of(hashSlot(bucket))?.server.clock ?? clock,
    async peek(buckets, deadlineMs) {
      const slots = Map.groupBy(buckets, ({ bucket }) => hashSlot(bucket))
      const states = await Promise.all(
        [...slots.values()].map((own) => peekInSlot(own, deadlineMs)),
      )
      const byName = new Map(states.flat().map((state) => [state.bucket, state]))
      return buckets.flatMap(({ bucket }) => byName.get(bucket) ?? [])
    },
    ask: resending.ask,
    isUp,
    beat() {
      for (const { server } of nodes.all()) server.mode.beat()
      if (!isUp() || monotonic() - owners.learntAt() >= mapMs) void owners.refresh()
    },
    close() {
      owners.close()
      resending.close()
      nodes.close()
    },
  }
}
