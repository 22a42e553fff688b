import type { ClusterNode, ClusterNodes } from './cluster-nodes.ts'
import { markerSlot } from './cluster-slots.ts'
import { placeInSlot } from './grant-script.ts'
import { slots } from './hash-slot.ts'
import type { SlotMap, SlotSource } from './slot-source.ts'

/** Which node has which slot, as far as this process knows. */
export interface SlotOwners {
  /** Where calls on the slot go; undefined when no node is known to have it. */
  of(slot: number): ClusterNode | undefined
  /** Whether every slot has a node. */
  isCovered(): boolean
  /** Monotonic milliseconds. */
  learntAt(): number
  /** Asks the cluster. One at a time; whoever comes meanwhile gets the one under way. */
  refresh(): Promise<void>
  /** A node was told to have the slot, by the one that had it. */
  redirect(slot: number, to: ClusterNode): void
  /** The node counts from now on. */
  welcome(node: ClusterNode): void
  close(): void
}

export interface SlotOwnersOptions {
  readonly source: SlotSource
  readonly nodes: ClusterNodes
  readonly monotonic: () => number
  /** The cluster does not tell. */
  onUnknown(): void
}

/** Calls on slots that moved to a new node wait for it to count for so long, each no longer than its deadline. */
const welcomeMs = 1000

/**
 * What a slot's change of hands means is decided by the node it came from. If
 * that one still has slots, the slot has moved with all it held; unless it
 * cannot be reached while the cluster misses a node: then its slots are given
 * away one after the other, as `redis-cli --cluster fix` does. If it has none,
 * it failed (or gave its last slots away, which cannot be told apart). The new
 * owner of a failed node's slot is treated like a server that has lost
 * something: see {@link SharedMode}.
 */
export function createSlotOwners(options: SlotOwnersOptions): SlotOwners {
  const { source, nodes, monotonic, onUnknown } = options
  let owners: (ClusterNode | undefined)[] = []
  /** The last owner of each slot by the map; calls may go elsewhere for a moment. */
  let mapped: (ClusterNode | undefined)[] = []
  let isCovered = false
  let isClosed = false
  let adopted = ''
  let learntAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  async function learn(): Promise<void> {
    const map = await source.ask()
    if (isClosed) return
    if (map === undefined) onUnknown()
    else adopt(map)
  }

  function adopt(map: SlotMap): void {
    learntAt = monotonic()
    const text = JSON.stringify(map.ranges)
    if (text !== adopted) {
      adopted = text
      takeOver(map)
    }
    nodes.drop()
  }

  function takeOver({ ranges, isWhole }: SlotMap): void {
    const next = new Array<ClusterNode | undefined>(slots).fill(undefined)
    for (const { first, last, primary } of ranges) next.fill(nodes.at(primary), first, last + 1)
    const owned = Map.groupBy(next.keys(), (slot) => next[slot])
    const heirs: ClusterNode[] = []

    function lives(node: ClusterNode): boolean {
      return owned.has(node) && (isWhole || node.server.connection.isReady())
    }

    for (const node of nodes.all()) {
      const now = owned.get(node) ?? []
      const givers = new Set(now.map((slot) => mapped[slot]))
      const dead = [...givers].filter(
        (giver) => giver !== undefined && giver !== node && !lives(giver),
      )
      if (node.slots === 0 && now.length > 0) {
        node.since = learntAt
        node.isComplete = dead.length === 0 && !givers.has(undefined) && !givers.has(node)
      }
      if (dead.length > 0) {
        node.isComplete = false
        // One that never counted finds out by itself, from the run its marker is of.
        if (node.slots > 0 || node.server.isShared()) heirs.push(node)
      }
      node.slots = now.length
      const slot = markerSlot(now)
      if (slot === undefined) node.marker = undefined
      else if (node.marker?.slot !== slot) node.marker = { slot, place: placeInSlot(slot) }
    }
    mapped = next.map((node, slot) => node ?? mapped[slot])
    for (const [slot, node] of next.entries()) {
      if (node === undefined || !node.isComplete || node.server.isShared()) continue
      if (learntAt - node.since > welcomeMs) continue
      // Until it counts, its calls go where they went: they are told MOVED there, and wait for it.
      next[slot] = owners[slot]
      adopted = ''
      node.server.tryNow()
    }
    owners = next
    isCovered = !owned.has(undefined)
    // The floors they are brought are those of all their slots.
    for (const { server } of heirs) server.lost()
  }

  function refresh(): Promise<void> {
    refreshing ??= learn().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  return {
    of: (slot) => owners[slot],
    isCovered: () => isCovered,
    learntAt: () => learntAt,
    refresh,
    redirect(slot, to) {
      owners[slot] = to
      adopted = ''
    },
    welcome(node) {
      // The slots it waited with can be its own now.
      if (node.isComplete) void refresh()
      node.isComplete = false
    },
    close() {
      isClosed = true
      source.close()
    },
  }
}
