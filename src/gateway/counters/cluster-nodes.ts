import type { ClusterRedis, RedisHost, SingleRedis } from '../../platform/redis-address.ts'
import type { CallBatch } from './call-batch.ts'
import type { CountingServer, Sending } from './counting-server.ts'
import type { ServersOptions } from './counting-servers.ts'
import type { MarkerPlace } from './grant-script.ts'
import { hashSlot } from './hash-slot.ts'
import type { Redirection } from './redirection.ts'

/** One node of the cluster, and what this process knows of its slots. */
export interface ClusterNode {
  readonly host: RedisHost
  readonly server: CountingServer
  /** How many it has. */
  slots: number
  marker: { readonly slot: number; readonly place: MarkerPlace } | undefined
  /** Its first slots came from nodes that live, and nothing is missing on it; until it counts. */
  isComplete: boolean
  /** Monotonic milliseconds at which it was first seen with slots. */
  since: number
  /** Monotonic milliseconds; without slots it is given up some time later. */
  usedAt: number
}

/** The nodes this process is connected to, or tries to be. */
export interface ClusterNodes {
  all(): Iterable<ClusterNode>
  /** The one at the address; a new one is connected to. */
  at(host: RedisHost): ClusterNode
  /** Undefined when there was no reason yet to connect to it. */
  find(host: RedisHost): ClusterNode | undefined
  /** Gives up the ones that are without slots and were not asked for a while. */
  drop(): void
  close(): void
}

export interface ClusterNodesOptions extends Pick<ServersOptions, 'openServer'> {
  readonly address: ClusterRedis
  readonly monotonic: () => number
  ownerOf(slot: number): ClusterNode | undefined
  /** The batch did not run there, and stays in flight. */
  onRedirected(from: ClusterNode, batch: CallBatch, redirection: Redirection, sent: Sending): void
  onMisplaced(): void
  onShared(node: ClusterNode): void
  onLost(node: ClusterNode): void
}

/** A node without slots, asked on the word of another one, is kept for so long. */
const guestMs = 10_000

export function createClusterNodes(options: ClusterNodesOptions): ClusterNodes {
  const { address, monotonic, ownerOf, onRedirected, onMisplaced, onShared, onLost } = options
  const nodes = new Map<string, ClusterNode>()

  function open(name: string, host: RedisHost): ClusterNode {
    const server = options.openServer({
      address: addressOfNode(address, host),
      node: name,
      buckets: {
        slotOf: hashSlot,
        isOurs: (bucket) => ownerOf(hashSlot(bucket)) === node,
        areSlotted: true,
      },
      markerPlace: () => node.marker?.place,
      runIdOtherwise: name,
      isComplete: () => node.isComplete,
      onRedirected: (batch, redirection, sent) => onRedirected(node, batch, redirection, sent),
      onMisplaced,
      onShared: () => onShared(node),
      onLost: () => onLost(node),
    })
    const node: ClusterNode = {
      ...{ host, server, slots: 0, marker: undefined, isComplete: false },
      ...{ since: Number.POSITIVE_INFINITY, usedAt: monotonic() },
    }
    return node
  }

  return {
    all: () => nodes.values(),
    at(host) {
      const name = nameOf(host)
      let node = nodes.get(name)
      if (node === undefined) {
        node = open(name, host)
        nodes.set(name, node)
      }
      return node
    },
    find: (host) => nodes.get(nameOf(host)),
    drop() {
      const at = monotonic()
      for (const [name, node] of nodes) {
        if (node.slots > 0) node.usedAt = at
        if (at - node.usedAt < guestMs) continue
        nodes.delete(name)
        node.server.close()
      }
    },
    close() {
      for (const { server } of nodes.values()) server.close()
    },
  }
}

/** One node of a cluster, by the name and password that hold for all of them. */
export function addressOfNode(
  { username, password, isEncrypted }: ClusterRedis,
  server: RedisHost,
): SingleRedis {
  return { topology: 'single', username, password, isEncrypted, server, database: 0 }
}

function nameOf({ host, port }: RedisHost): string {
  return `${host}:${port}`
}
