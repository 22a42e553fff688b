import type { ClusterNode, ClusterNodes } from './cluster-nodes.ts'
import { markerSlot, placeInSlot } from './cluster-slots.ts'
import { slots } from './hash-slot.ts'
import type { SlotMap, SlotSource } from './slot-source.ts'

/** Which node has which slot, as far as this process knows. */
export interface SlotOwners {
  /** The node for calls on the slot; undefined when no node is known to have it. */
  of(slot: number): ClusterNode | undefined
  /** Whether every slot has a node. */
  isCovered(): boolean
  /** Monotonic milliseconds. */
  learntAt(): number
  /** Reads the slot map. Requests made while one is under way share its result. */
  refresh(): Promise<void>
  /** A node reported that another node now has the slot. */
  redirect(slot: number, to: ClusterNode): void
  /** The node counts from now on. */
  welcome(node: ClusterNode): void
  close(): void
}

export interface SlotOwnersOptions {
  readonly source: SlotSource
  readonly nodes: ClusterNodes
  readonly monotonic: () => number
  /** No node provides a slot map. */
  onUnknown(): void
}

/** How long calls on moved slots wait for the new node to count; no call waits longer than its deadline. */
const welcomeMs = 1000

/**
 * The node a slot came from decides what its move means. If that node still has
 * slots, the slot moved with all its counts. The exception is a node that
 * cannot be reached while the cluster misses a node: then its slots are given
 * away one by one, as `redis-cli --cluster fix` does. If it has no slots left,
 * it failed (or gave away its last slots, which looks the same). The new owner
 * of a failed node's slot is treated as a server that has lost counts: see
 * {@link SharedMode}.
 */
export function createSlotOwners(options: SlotOwnersOptions): SlotOwners {
  const { source, nodes, monotonic, onUnknown } = options
  let owners: (ClusterNode | undefined)[] = []
  /** The last owner of each slot by the map. Calls may briefly go elsewhere. */
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
        // A node that never counted detects the loss by itself, from the run in its marker.
        if (node.slots > 0 || node.server.decidesCalls()) heirs.push(node)
        else node.server.mode.inherited()
      }
      node.slots = now.length
      const slot = markerSlot(now)
      if (slot === undefined) node.marker = undefined
      else if (node.marker?.slot !== slot) node.marker = { slot, place: placeInSlot(slot) }
    }
    mapped = next.map((node, slot) => node ?? mapped[slot])
    for (const [slot, node] of next.entries()) {
      if (node === undefined || !node.isComplete || node.server.decidesCalls()) continue
      if (learntAt - node.since > welcomeMs) continue
      // Until the new node counts, calls go to the old one, which answers MOVED; then they wait for the new node.
      next[slot] = owners[slot]
      adopted = ''
      node.server.mode.tryNow()
    }
    owners = next
    isCovered = !owned.has(undefined)
    // Floors are pushed for all slots of the server, so mark it lost once the map is complete.
    for (const { server } of heirs) server.mode.lost('slots came without their counters')
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
      // Slots that moved while the node was not ready can be assigned now.
      if (node.isComplete) void refresh()
      node.isComplete = false
    },
    close() {
      isClosed = true
      source.close()
    },
  }
}
