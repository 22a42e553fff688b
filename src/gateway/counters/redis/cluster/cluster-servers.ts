import type { Logger } from '../../../../platform/log.ts'
import type { ClusterRedis } from '../../../../platform/redis-address.ts'
import type { Roster } from '../../../../platform/roster.ts'
import type { CallBatch } from '../call-batch.ts'
import type { CountingServer } from '../counting-server.ts'
import type { CountingServers, ServersOptions } from '../counting-servers.ts'
import type { StoreClock } from '../store-clock.ts'
import { type ClusterNodes, createClusterNodes } from './cluster-nodes.ts'
import { hashSlot } from './hash-slot.ts'
import { createResending } from './resending.ts'
import { createSlotOwners, type SlotOwners } from './slot-owners.ts'
import { createSlotSource } from './slot-source.ts'

export interface ClusterServersOptions extends ServersOptions {
  readonly address: ClusterRedis
  /** For buckets whose node is unknown. */
  readonly clock: Pick<StoreClock, 'now'>
  readonly inFlight: Roster<CallBatch>
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** Maximum age of the slot map in normal operation. */
const mapMs = 1000

/**
 * Spreads counting over the primaries of a cluster, each with its own
 * connection, breaker and {@link SharedMode}. A node that is down affects only
 * its own slots.
 *
 * Any node that sees a majority of the cluster provides the slot map. It is
 * read once a second, four times a second while a node with slots is down, and
 * at once when a node reports that a slot is not its own. `slot-owners.ts`
 * handles changes of the map; `resending.ts` handles calls that a node did not
 * decide because of such a change.
 */
export function createClusterServers(options: ClusterServersOptions): CountingServers {
  const { address, clock, inFlight, monotonic, log, decideAlone } = options
  const nodes: ClusterNodes = createClusterNodes({
    ...{ address, monotonic, openServer: options.openServer },
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
    ...{ nodes, monotonic, onUnknown: options.onDown },
    source: createSlotSource({ address, nodes, monotonic, log }),
  })
  const resending = createResending({ nodes, owners, inFlight, monotonic, decideAlone })

  function isUp(): boolean {
    if (!owners.isCovered()) return false
    for (const { server, slots } of nodes.all()) if (slots > 0 && !server.isShared()) return false
    return true
  }

  function serverOf(slot: number): CountingServer | undefined {
    return owners.of(slot)?.server
  }

  void owners.refresh()
  return {
    slotOf: hashSlot,
    serverOf,
    clockOf: (bucket) => serverOf(hashSlot(bucket))?.clock ?? clock,
    send(turn) {
      const batches = new Map<CountingServer, CallBatch[]>()
      for (const [slot, batch] of turn) {
        const server = serverOf(slot)
        if (server?.isShared() !== true) decideAlone(batch)
        else {
          const others = batches.get(server)
          if (others === undefined) batches.set(server, [batch])
          else others.push(batch)
        }
      }
      for (const [server, own] of batches) server.send(own)
    },
    ask: resending.ask,
    isUp,
    beat() {
      for (const { server } of nodes.all()) server.beat()
      if (!isUp() || monotonic() - owners.learntAt() >= mapMs) void owners.refresh()
    },
    close() {
      owners.close()
      resending.close()
      nodes.close()
    },
  }
}
