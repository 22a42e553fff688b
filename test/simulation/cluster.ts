import { hashSlot } from '../../src/gateway/counters/redis/cluster/hash-slot.ts'
import type { RedisReply } from './lua.ts'
import { slots } from './modules.ts'
import type { Server } from './server.ts'
import { phases, type World } from './world.ts'

/** Which servers of a cluster have which slots, and what each of them knows of that. */
export interface Cluster {
  /** The primary that began with this part of the slots, or what took its place. */
  primaryOf(index: number): Server | undefined
  ownerOf(key: string): Server | undefined
  /** Where the primary keeps its marker. */
  markerPlace(server: Server): { readonly key: string }
  /** Whether two keys are in the same slot. */
  isOneSlot(key: string, other: string): boolean
  /** Others notice that it does not answer. */
  suspect(server: Server): void
  /** It answers again. */
  trust(server: Server): void
  takeOver(old: Server, by: Server): void
  /**
   * Moves the slot of a key to another primary, with its keys one by one, if both can.
   *
   * @param onEnd what became of it: the slot is there, or stays where it was, without the keys that are at the other, or
   * with all
   * @returns whether it moves
   */
  move(key: string, to: Server, forMs: number, onEnd: (end: MoveEnd) => void): boolean
}

interface View {
  readonly owners: (Server | undefined)[]
  suspected: number
}

export type MoveEnd = 'moved' | 'broken' | 'undone'

interface Move {
  readonly from: Server
  readonly to: Server
  readonly onEnd: (end: MoveEnd) => void
}

/** How long the word of a change takes to the other servers. */
const gossipMs = 120

/** How long a server is silent before the others suspect it. */
const silenceMs = 150

export interface ClusterOptions {
  readonly world: World
  /** The primaries, then a replica for each. */
  readonly servers: readonly Server[]
  readonly primaries: number
}

export function createCluster({ world, servers, primaries }: ClusterOptions): Cluster {
  const parts = servers.slice(0, primaries)
  const truth: (Server | undefined)[] = Array.from(
    { length: slots },
    (_, slot) => parts[Math.floor((slot * primaries) / slots)],
  )
  const views = new Map<Server, View>(
    servers.map((server) => [server, { owners: [...truth], suspected: 0 }]),
  )
  const suspected = new Set<Server>()
  /** Slots on their way: from the server that has them, and the one that gets them. */
  const moving = new Map<number, Move>()

  for (const server of servers) {
    server.redirect = (keys, isAsking) => redirect(server, keys, isAsking)
    server.clusterReply = (command) => reply(server, command)
  }

  function redirect(
    server: Server,
    keys: readonly string[],
    isAsking: boolean,
  ): string | undefined {
    const [first] = keys
    if (first === undefined) return undefined
    const slot = slotOf(first)
    if (keys.some((key) => slotOf(key) !== slot)) {
      return "CROSSSLOT Keys in request don't hash to the same slot"
    }
    const owner = views.get(server)?.owners[slot]
    const move = moving.get(slot)
    const missing = keys.filter((key) => !server.keyspace.has(key, server.timeUs())).length
    if (owner === server) {
      if (move?.from !== server || missing === 0) return undefined
      if (missing < keys.length) return 'TRYAGAIN Multiple keys request during rehashing of slot'
      return `ASK ${slot} ${move.to.name}`
    }
    if (move?.to === server && isAsking) {
      return keys.length > 1 && missing > 0
        ? 'TRYAGAIN Multiple keys request during rehashing of slot'
        : undefined
    }
    if (owner === undefined) return 'CLUSTERDOWN Hash slot not served'
    return `MOVED ${slot} ${owner.name}`
  }

  function reply(server: Server, command: string): RedisReply {
    const view = views.get(server)
    if (command === 'INFO') {
      return [
        'cluster_state:ok',
        `cluster_slots_assigned:${slots}`,
        `cluster_slots_pfail:${view?.suspected ?? 0}`,
        'cluster_slots_fail:0',
      ].join('\r\n')
    }
    const ranges: RedisReply[] = []
    let first = 0
    for (let slot = 1; slot <= slots; slot += 1) {
      const owner = view?.owners[first]
      if (slot < slots && view?.owners[slot] === owner) continue
      const [host = '', port] = owner?.name.split(':') ?? []
      if (owner !== undefined) ranges.push([first, slot - 1, [host, Number(port), owner.runId]])
      first = slot
    }
    return ranges
  }

  function suspicions(): number {
    return truth.filter((owner) => owner !== undefined && suspected.has(owner)).length
  }

  /** Gives a server the current state. */
  function inform(server: Server): void {
    const view = views.get(server)
    if (view === undefined) return
    for (const [slot, owner] of truth.entries()) view.owners[slot] = owner
    view.suspected = suspicions()
  }

  /** Updates each of the others after a delay. */
  function spread(): void {
    for (const server of servers) {
      const delay = world.random.next() * gossipMs
      world.at(world.now() + delay, phases.sockets, undefined, () => {
        if (server.isUp) inform(server)
      })
    }
  }

  function finishMove(slot: number): void {
    const move = moving.get(slot)
    if (move === undefined) return
    moving.delete(slot)
    if (!move.from.isUp || !move.to.isUp || truth[slot] !== move.from || move.to.isReplica) {
      breakOff(slot, move)
      return
    }
    for (const key of keysOf(move.from, slot)) carry(key, move)
    truth[slot] = move.to
    inform(move.from)
    inform(move.to)
    spread()
    move.onEnd('moved')
  }

  function breakOff(slot: number, { to, onEnd }: Move): void {
    onEnd(keysOf(to, slot).length > 0 ? 'broken' : 'undone')
  }

  function keysOf(server: Server, slot: number): string[] {
    return [...server.keyspace.entries()].map(([key]) => key).filter((key) => slotOf(key) === slot)
  }

  function carry(key: string, { from, to }: Pick<Move, 'from' | 'to'>): void {
    const stored = from.keyspace.find(key)
    if (stored === undefined) return
    to.keyspace.put(key, stored)
    to.replica?.keyspace.put(key, stored)
    from.keyspace.put(key, undefined)
    from.replica?.keyspace.put(key, undefined)
  }

  return {
    primaryOf: (index) => parts[index],
    ownerOf: (key) => truth[slotOf(key)],
    markerPlace: (server) => ({ key: `tollgate:marker:{${tagOf(truth, server)}}` }),
    isOneSlot: (key, other) => slotOf(key) === slotOf(other),
    suspect(server) {
      suspected.add(server)
      world.at(world.now() + silenceMs, phases.sockets, undefined, spread)
    },
    trust(server) {
      suspected.delete(server)
      inform(server)
      spread()
    },
    takeOver(old, by) {
      const part = parts.indexOf(old)
      if (part !== -1) parts[part] = by
      for (const [slot, owner] of truth.entries()) if (owner === old) truth[slot] = by
      for (const [slot, move] of moving) {
        if (move.from !== old && move.to !== old) continue
        moving.delete(slot)
        breakOff(slot, move)
      }
      inform(by)
      spread()
    },
    move(key, to, forMs, onEnd) {
      const slot = slotOf(key)
      const from = truth[slot]
      if (from === undefined || from === to || moving.has(slot)) return false
      if (!from.isUp || !to.isUp || to.isReplica) return false
      moving.set(slot, { from, to, onEnd })
      for (const moved of keysOf(from, slot)) {
        world.at(world.now() + world.random.next() * forMs, phases.sockets, undefined, () => {
          const move = moving.get(slot)
          if (move?.from === from && from.isUp && to.isUp) carry(moved, move)
        })
      }
      world.at(world.now() + forMs, phases.sockets, undefined, () => finishMove(slot))
      return true
    },
  }
}

function slotOf(key: string): number {
  return hashSlot(key) % slots
}

/** The hash tag of the slot in which a node keeps its marker; see `markerSlot`. */
function tagOf(owners: readonly (Server | undefined)[], server: Server): string {
  let best = 0
  let bestRank = slots
  for (const [slot, owner] of owners.entries()) {
    const rank = (slot * 40_503) % slots
    if (owner !== server || rank >= bestRank) continue
    best = slot
    bestRank = rank
  }
  for (let number = 0; ; number += 1) if (slotOf(`{${number}}`) === best) return String(number)
}
