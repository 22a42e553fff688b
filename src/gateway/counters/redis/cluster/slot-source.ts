import type { Logger } from '../../../../platform/log/log.ts'
import type { ClusterRedis, RedisHost } from '../../../../platform/redis/redis-address.ts'
import { openRedisConnection, type RedisConnection, readInfo } from '../redis-connection.ts'
import type { StoreClock } from '../store-clock.ts'
import { addressOfNode, type ClusterNodes } from './cluster-nodes.ts'
import { readClusterSlots, type SlotRange } from './cluster-slots.ts'

/** Asks the cluster which primary has which slots. */
export interface SlotSource {
  /** Resolves with the first reply from a node that sees a majority of the cluster; undefined when no node does. */
  ask(): Promise<SlotMap | undefined>
  close(): void
}

/** Which primary has which slots, as one node sees it. */
export interface SlotMap {
  readonly ranges: readonly SlotRange[]
  /** Whether every primary with slots is alive, as far as the node knows. */
  readonly isWhole: boolean
}

export interface SlotSourceOptions {
  /** Asked when no connected node can reply. */
  readonly address: ClusterRedis
  readonly nodes: Pick<ClusterNodes, 'all'>
  readonly clock: StoreClock
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** Milliseconds to wait for requests that hold up no call. */
const patienceMs = 250

/** Time in which a node must connect to be asked for the slot map. */
const seedMs = 500

export function createSlotSource({
  address,
  nodes,
  clock,
  monotonic,
  log,
}: SlotSourceOptions): SlotSource {
  let isClosed = false
  let isKnown = false
  let turn = 0

  /** Undefined when the node does not trust its own view (it sees no majority of the cluster). */
  async function mapOf(
    host: RedisHost,
    connection: Pick<RedisConnection, 'command'>,
  ): Promise<SlotMap | undefined> {
    const [info, slots] = await Promise.all([
      connection.command(['CLUSTER', 'INFO'], patienceMs),
      connection.command(['CLUSTER', 'SLOTS'], patienceMs),
    ])
    const facts = readInfo(info)
    if (facts.get('cluster_state') !== 'ok') return undefined
    const failures = [facts.get('cluster_slots_fail'), facts.get('cluster_slots_pfail')]
    return {
      ranges: readClusterSlots(slots, host),
      isWhole: failures.every((count) => count === '0'),
    }
  }

  async function askSeed(host: RedisHost): Promise<SlotMap | undefined> {
    const ready = Promise.withResolvers<void>()
    const connection = openRedisConnection({
      address: addressOfNode(address, host),
      monotonic,
      clock,
      onReady: ready.resolve,
      onLost: (cause) => ready.reject(cause ?? new Error('the connection was closed')),
    })
    const late = setTimeout(() => ready.reject(new Error('no connection in time')), seedMs)
    try {
      await ready.promise
      return await mapOf(host, connection)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!isKnown) log.warn({ ...host, reason }, 'a cluster node does not report its slots')
      return undefined
    } finally {
      clearTimeout(late)
      connection.close()
    }
  }

  async function askAll(): Promise<SlotMap | undefined> {
    // In turn, starting with connected nodes.
    const known = [...nodes.all()].filter(({ server }) => server.connection.isReady())
    turn += 1
    const inTurns = known.map((_, index) => known[(index + turn) % known.length])
    const asked = inTurns.toSorted(
      (a, b) => Number(b?.server.decidesCalls()) - Number(a?.server.decidesCalls()),
    )
    for (const node of asked) {
      if (node === undefined || isClosed) continue
      const map = await mapOf(node.host, node.server.connection).catch(() => undefined)
      if (map !== undefined) return map
    }
    for (const host of address.nodes) {
      if (isClosed) return undefined
      const map = await askSeed(host)
      if (map !== undefined) return map
    }
    return undefined
  }

  return {
    async ask() {
      const map = await askAll()
      isKnown ||= map !== undefined
      return map
    },
    close() {
      isClosed = true
    },
  }
}
