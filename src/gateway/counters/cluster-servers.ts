import type { Logger } from '../../platform/log.ts'
import type { ClusterRedis } from '../../platform/redis-address.ts'
import type { Roster } from '../../platform/roster.ts'
import type { CallBatch } from './call-batch.ts'
import { type ClusterNodes, createClusterNodes } from './cluster-nodes.ts'
import type { CountingServer } from './counting-server.ts'
import type { CountingServers, ServersOptions } from './counting-servers.ts'
import { hashSlot } from './hash-slot.ts'
import { createResending } from './resending.ts'
import { createSlotOwners, type SlotOwners } from './slot-owners.ts'
import { createSlotSource } from './slot-source.ts'
import type { StoreClock } from './store-clock.ts'

export interface ClusterServersOptions extends ServersOptions {
  readonly address: ClusterRedis
  /** For buckets whose node is not known. */
  readonly clock: Pick<StoreClock, 'now'>
  readonly inFlight: Roster<CallBatch>
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** How old the map of slots grows while all is well. */
const mapMs = 1000

/**
 * Spreads counting over the primaries of a cluster, each with its own
 * connection, breaker and {@link SharedMode}: a node that is away degrades its
 * own slots only.
 *
 * Which node has which slot is asked of any node that sees a majority of the
 * cluster: once a second, while a node with slots is away four times a second,
 * and at once when a node says that a slot is not its own. What follows from a
 * change is in `slot-owners.ts`, and what is done with calls that a node did not
 * decide because of one in `resending.ts`.
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
