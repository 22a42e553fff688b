import type { ClusterNode, RedisCluster } from '../../../test/support/redis-cluster.ts'
import type { Fault, FaultParts } from '../run-fault.ts'
import type { StoreProbe } from '../store-probe.ts'

export interface ClusterFaultsOptions {
  readonly cluster: RedisCluster
  readonly probe: StoreProbe
}

/** Faults of single nodes and of the whole cluster. */
export interface ClusterFaults {
  /** In the order they must have: the last one leaves a cluster with a node less. */
  readonly faults: readonly Fault[]
  /** The node on which the buckets of the next experiment must lie. */
  victim(): Promise<ClusterNode>
  /** Whether an application's buckets lie there. */
  isOnVictim(applicationId: string): Promise<boolean>
}

export function clusterFaults({ cluster, probe }: ClusterFaultsOptions): ClusterFaults {
  let suspended: ClusterNode[] = []
  const keyOf = (applicationId: string): string => `tollgate:{${applicationId}}:1`

  async function victim(): Promise<ClusterNode> {
    return cluster.ownerOf(0)
  }

  /** Watches the slot of the experiment at this node. */
  function watch(node: ClusterNode, { applicationIds }: FaultParts): void {
    probe.target(node.port, keyOf(applicationIds[0] ?? ''))
  }

  const base = { id: 'R6', lastsMs: [2500, 3500] } as const
  return {
    victim,
    async isOnVictim(applicationId) {
      return (await cluster.ownerOfKey(keyOf(applicationId))) === (await victim())
    },
    faults: [
      {
        ...base,
        title: 'Cluster: slot migration under load',
        isOutage: false,
        losesCounts: true,
        async begin(parts) {
          const [applicationId = ''] = parts.applicationIds
          const slot = await cluster.slotOf(keyOf(applicationId))
          const from = await cluster.ownerOf(slot)
          const to = cluster.nodes.find((node, index) => index < 3 && node !== from)
          if (to === undefined) throw new Error('no node to move the slot to')
          await cluster.beginMove(slot, to)
          await cluster.moveKeys(slot, to)
          await cluster.endMove(slot, to)
          watch(to, parts)
        },
        end: async () => undefined,
      },
      {
        ...base,
        title: 'Cluster: majority lost',
        isOutage: true,
        lastsMs: [3000, 4000],
        async begin(parts) {
          const stays = await victim()
          watch(stays, parts)
          suspended = cluster.nodes.filter((node, index) => index < 3 && node !== stays)
          for (const node of suspended) node.suspend()
        },
        async end() {
          for (const node of suspended) node.resume()
        },
      },
      {
        ...base,
        title: 'Cluster: SIGKILL of a primary',
        isOutage: true,
        losesCounts: true,
        async begin(parts) {
          const killed = await victim()
          const replica = await cluster.replicaOf(killed)
          await killed.kill()
          watch(replica, parts)
        },
        end: async () => undefined,
      },
    ],
  }
}
