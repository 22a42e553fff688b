import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type RedisServer, startRedisServer } from './redis-server.ts'
import { until } from './until.ts'

/** A node, and what the cluster calls it. */
export interface ClusterNode extends RedisServer {
  readonly id: string
}

/** Three primaries with a replica each. */
export interface RedisCluster {
  /** `redis+cluster://…`, three of the nodes. */
  readonly url: string
  /** The first three began as primaries of a third of the slots each; the fourth follows the first, and so on. */
  readonly nodes: readonly ClusterNode[]
  /** The node that has the slot now, as the others see it. */
  ownerOf(slot: number): Promise<ClusterNode>
  /** The node that has the key. */
  ownerOfKey(key: string): Promise<ClusterNode>
  slotOf(key: string): Promise<number>
  /** Resolves once this node has slots. */
  promoted(node: ClusterNode): Promise<void>
  /** The replica of a primary. */
  replicaOf(primary: ClusterNode): Promise<ClusterNode>
  /** Begins to move a slot: from then on, keys that are not there are at the other node. */
  beginMove(slot: number, to: ClusterNode): Promise<void>
  /** Moves these keys, or all of the slot. */
  moveKeys(slot: number, to: ClusterNode, keys?: readonly string[]): Promise<void>
  /** Gives the slot to the other node, keys moved before. */
  endMove(slot: number, to: ClusterNode): Promise<void>
  /**
   * Gives a node slots whose primary is dead, without their keys, as `redis-cli --cluster fix` does; resolves when all that
   * live know.
   */
  seize(first: number, last: number, by: ClusterNode): Promise<void>
  /** Another node, a primary without slots. */
  grow(): Promise<ClusterNode>
  stop(): Promise<void>
}

export interface RedisClusterOptions {
  /** Silence after which a node is thought dead. (Default: 1000.) */
  readonly nodeTimeoutMs?: number
  /** More settings of every node. */
  readonly args?: readonly string[]
}

const slots = 16_384

/**
 * Starts six nodes on loopback that know each other from the start, by
 * nodes.conf, and resolves when the cluster is whole. `ownerOf` and the like ask
 * a primary that lives.
 */
export async function startRedisCluster({
  nodeTimeoutMs = 1000,
  args = [],
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const plan: { id: string; port: number; bus: number; folder: string }[] = []
  for (let index = 0; index < 6; index += 1) plan.push(await planned())

  async function planned() {
    const id = randomBytes(20).toString('hex')
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-cluster-'))
    return { id, folder, port: await freePort(), bus: await freePort() }
  }

  async function start({ id, port, bus, folder }: (typeof plan)[number]): Promise<ClusterNode> {
    const server = await startRedisServer({
      port,
      args: [
        '--cluster-enabled',
        'yes',
        '--cluster-config-file',
        join(folder, 'nodes.conf'),
        '--cluster-port',
        String(bus),
        '--cluster-node-timeout',
        String(nodeTimeoutMs),
        // One dead primary must not close the slots of the others.
        '--cluster-require-full-coverage',
        'no',
        '--repl-diskless-sync-delay',
        '0',
        '--cluster-replica-validity-factor',
        '0',
        ...args,
      ],
    })
    return Object.assign(server, { id })
  }

  async function know(folder: string, lines: readonly string[], epoch: number): Promise<void> {
    const text = [...lines, `vars currentEpoch ${epoch} lastVoteEpoch 0`, ''].join('\n')
    await writeFile(join(folder, 'nodes.conf'), text)
  }

  for (const [mine, { folder }] of plan.entries()) {
    const lines = plan.map(({ id, port, bus }, index) => {
      const flags = `${index === mine ? 'myself,' : ''}${index < 3 ? 'master' : 'slave'}`
      const master = index < 3 ? '-' : plan[index - 3]?.id
      const first = Math.ceil((index * slots) / 3)
      const range = index < 3 ? ` ${first}-${Math.ceil(((index + 1) * slots) / 3) - 1}` : ''
      return `${id} 127.0.0.1:${port}@${bus} ${flags} ${master} 0 0 ${(index % 3) + 1} connected${range}`
    })
    await know(folder, lines, 3)
  }
  const nodes = await Promise.all(plan.map(start))

  async function stop(): Promise<void> {
    await Promise.all(nodes.map((node) => node.stop()))
    for (const { folder } of plan) await rm(folder, { recursive: true, force: true })
  }

  /** A view of the cluster by a node that sees most of it. */
  async function view(): Promise<string[][]> {
    for (const node of nodes) {
      try {
        const info = await node.cli('CLUSTER', 'INFO')
        if (!info.includes('cluster_state:ok')) continue
        return (await node.cli('CLUSTER', 'NODES')).split('\n').map((line) => line.split(' '))
      } catch {
        // It is one of those that were killed.
      }
    }
    return []
  }

  async function isOwnedBy(slot: number, owner: ClusterNode, asked: ClusterNode): Promise<boolean> {
    const lines = (await asked.cli('CLUSTER', 'NODES')).split('\n').map((line) => line.split(' '))
    const own = lines.find(([id]) => id === owner.id)
    return own !== undefined && hasSlot(own.slice(8), slot)
  }

  function nodeOf(id: string | undefined): ClusterNode | undefined {
    return nodes.find((node) => node.id === id)
  }

  function hasSlot(ranges: readonly string[], slot: number): boolean {
    return ranges.some((range) => {
      const [first, last = first] = range.split('-').map(Number)
      return first !== undefined && last !== undefined && first <= slot && slot <= last
    })
  }

  async function ownerOf(slot: number): Promise<ClusterNode> {
    const line = (await view()).find((fields) => hasSlot(fields.slice(8), slot))
    const node = nodeOf(line?.[0])
    if (node === undefined) throw new Error(`no node has slot ${slot}`)
    return node
  }

  async function slotOf(key: string): Promise<number> {
    return Number(await anyNode().cli('CLUSTER', 'KEYSLOT', key))
  }

  function anyNode(): ClusterNode {
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    return first
  }

  async function isWhole(): Promise<boolean> {
    const states = await Promise.all(
      nodes.map(async (node) => {
        const info = await node.cli('CLUSTER', 'INFO')
        const replication = await node.cli('INFO', 'replication')
        return (
          info.includes('cluster_state:ok') &&
          (replication.includes('role:master') || replication.includes('master_link_status:up'))
        )
      }),
    )
    return states.every(Boolean)
  }

  try {
    await until('the cluster is whole', isWhole)
  } catch (error) {
    await stop()
    throw error
  }

  return {
    url: `redis+cluster://${nodes
      .slice(0, 3)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}`,
    nodes,
    ownerOf,
    slotOf,
    ownerOfKey: async (key) => ownerOf(await slotOf(key)),
    promoted: (node) =>
      until('a replica takes over', async () => {
        const line = (await view()).find(([id]) => id === node.id)
        return line !== undefined && line.length > 8
      }),
    async replicaOf(primary) {
      const line = (await view()).find(
        ([, , flags = '', master]) => flags.includes('slave') && master === primary.id,
      )
      const node = nodeOf(line?.[0])
      if (node === undefined) throw new Error('it has no replica')
      return node
    },
    async beginMove(slot, to) {
      const from = await ownerOf(slot)
      await to.cli('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', from.id)
      await from.cli('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', to.id)
    },
    async moveKeys(slot, to, keys) {
      const from = await ownerOf(slot)
      const all =
        keys ?? (await from.cli('CLUSTER', 'GETKEYSINSLOT', String(slot), '1000')).split('\n')
      for (const key of all.filter(Boolean)) {
        await from.cli('MIGRATE', '127.0.0.1', String(to.port), key, '0', '1000')
      }
    },
    async endMove(slot, to) {
      const from = await ownerOf(slot)
      for (const node of [to, from])
        await node.cli('CLUSTER', 'SETSLOT', String(slot), 'NODE', to.id)
    },
    async seize(first, last, by) {
      await by.cli('CLUSTER', 'DELSLOTSRANGE', String(first), String(last))
      await by.cli('CLUSTER', 'ADDSLOTSRANGE', String(first), String(last))
      await by.cli('CLUSTER', 'BUMPEPOCH')
      await until('all know whose the slots are', async () => {
        // One that was killed knows nothing.
        const known = await Promise.all(
          nodes.map((node) => isOwnedBy(last, by, node).catch(() => true)),
        )
        return known.every(Boolean)
      })
    },
    async grow() {
      const added = await planned()
      const { id, port, bus, folder } = added
      await know(folder, [`${id} 127.0.0.1:${port}@${bus} myself,master - 0 0 0 connected`], 0)
      const node = await start(added)
      plan.push(added)
      nodes.push(node)
      await anyNode().cli('CLUSTER', 'MEET', '127.0.0.1', String(port), String(bus))
      await until('all know the new node', async () => {
        const views = await Promise.all(nodes.map((other) => other.cli('CLUSTER', 'NODES')))
        const info = await node.cli('CLUSTER', 'INFO')
        return (
          // It takes no calls in its first two seconds, whatever slots it has.
          info.includes('cluster_state:ok') &&
          views.every((text) => text.includes(id)) &&
          views.every((text) => !text.includes('handshake'))
        )
      })
      return node
    },
    stop,
  }
}
