import type {
  ClusterRedis,
  RedisHost,
  SingleRedis,
} from '../../../../platform/redis/redis-address.ts'
import type { CallBatch } from '../call-batch.ts'
import type { CountingServer } from '../counting-server.ts'
import type { MarkerPlace } from '../grant-script.ts'
import type { Part } from '../part.ts'
import type { ServersOptions } from '../servers.ts'
import { readClusterSlots } from './cluster-slots.ts'
import { hashSlot } from './hash-slot.ts'
import { type NodeSending, type NodeSendingOptions, sendToNode } from './node-sending.ts'
import { redirectionOf } from './redirection.ts'
import { pushBySlot } from './slotted-push.ts'

/** One cluster node, and what this process knows about its slots. */
export interface ClusterNode {
  readonly host: RedisHost
  readonly server: CountingServer
  send(batches: readonly CallBatch[], sending: NodeSending): void
  /** Number of slots it has. */
  slots: number
  marker: { readonly slot: number; readonly place: MarkerPlace } | undefined
  /** Whether its first slots came from live nodes, so that no count is missing. Cleared once the node counts. */
  isComplete: boolean
  /** Monotonic milliseconds at which the node was first seen with slots. */
  since: number
  /** Monotonic milliseconds of its last use; a node without slots is disconnected some time later. */
  usedAt: number
}

/** The nodes this process is connected to, or tries to connect to. */
export interface ClusterNodes {
  all(): Iterable<ClusterNode>
  /** Returns the node at the address and connects to it if needed. */
  at(host: RedisHost): ClusterNode
  /** Undefined when this process never connected to it. */
  find(host: RedisHost): ClusterNode | undefined
  /** Disconnects nodes without slots that were not used recently. */
  drop(): void
  close(): void
}

export interface ClusterNodesOptions extends Pick<ServersOptions, 'openServer'> {
  readonly address: ClusterRedis
  readonly monotonic: () => number
  ownerOf(slot: number): ClusterNode | undefined
  /** The batch did not run on the node and stays in flight. */
  onRedirected(
    from: ClusterNode,
    ...redirected: Parameters<NodeSendingOptions['onRedirected']>
  ): void
  onMisplaced(): void
  onShared(node: ClusterNode): void
  onLost(node: ClusterNode): void
}

/** Milliseconds to wait for requests that hold up no call. */
const patienceMs = 250

/** Time for which a node without slots stays connected, when it was only used because another node redirected to it. */
const guestMs = 10_000

export function createClusterNodes(options: ClusterNodesOptions): ClusterNodes {
  const { address, monotonic, ownerOf, onRedirected, onMisplaced, onShared, onLost } = options
  const nodes = new Map<string, ClusterNode>()

  function open(name: string, host: RedisHost): ClusterNode {
    const part: Part = {
      name,
      isClusterNode: true,
      runIdOtherwise: name,
      isOurs: (bucket) => ownerOf(hashSlot(bucket)) === node,
      async ownBuckets() {
        const reply = await server.connection.command(['CLUSTER', 'SLOTS'], patienceMs)
        const own = readClusterSlots(reply, host).filter(
          ({ primary }) => nameOf(primary) === nameOf(host),
        )
        return (bucket) => {
          const slot = hashSlot(bucket)
          return own.some(({ first, last }) => first <= slot && slot <= last)
        }
      },
      markerPlace: () => node.marker?.place,
      isComplete: () => node.isComplete,
      isElsewhere: (error) => redirectionOf(error) !== undefined,
      isMisplaced: (error) =>
        error.message.startsWith('CLUSTERDOWN') || redirectionOf(error) !== undefined,
      onMisplaced,
      push: pushBySlot,
    }
    const server = options.openServer({
      address: addressOfNode(address, host),
      part,
      onShared: () => onShared(node),
      onLost: () => onLost(node),
    })
    const sending: NodeSendingOptions = {
      server,
      monotonic,
      onMisplaced,
      onRedirected: (...redirected) => onRedirected(node, ...redirected),
    }
    const node: ClusterNode = {
      host,
      server,
      slots: 0,
      marker: undefined,
      isComplete: false,
      since: Number.POSITIVE_INFINITY,
      usedAt: monotonic(),
      send: (batches, how) => sendToNode(sending, batches, how),
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

/** The address of one node, with the name and password that all nodes share. */
export function addressOfNode(address: ClusterRedis, server: RedisHost): SingleRedis {
  const { isEncrypted } = address
  return {
    topology: 'single',
    isEncrypted,
    server,
    database: 0,
    // Asked for each connection, because both may change.
    get username() {
      return address.username
    },
    get password() {
      return address.password
    },
  }
}

function nameOf({ host, port }: RedisHost): string {
  return `${host}:${port}`
}
