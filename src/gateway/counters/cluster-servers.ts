import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../platform/log.ts'
import type { ClusterRedis, RedisHost, SingleRedis } from '../../platform/redis-address.ts'
import type { Roster } from '../../platform/roster.ts'
import { type CallBatch, splitBatch } from './call-batch.ts'
import { markerSlot, readClusterSlots, type SlotRange } from './cluster-slots.ts'
import type { CountingServer, Sending } from './counting-server.ts'
import type { CountingServers, ServersOptions } from './counting-servers.ts'
import { type MarkerPlace, placeInSlot } from './grant-script.ts'
import { hashSlot, slots } from './hash-slot.ts'
import { type Redirection, redirectionOf } from './redirection.ts'
import { openRedisConnection } from './redis-connection.ts'
import type { StoreClock } from './store-clock.ts'

export interface ClusterServersOptions extends ServersOptions {
  readonly address: ClusterRedis
  /** For buckets whose node is not known. */
  readonly clock: Pick<StoreClock, 'now'>
  readonly inFlight: Roster<CallBatch>
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** One node of the cluster. */
interface Node {
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

/** What no call waits for may take so long. */
const patienceMs = 250

/** A node that is asked which slots are where must be connected to within this time. */
const seedMs = 500

/** How old the map of slots grows while all is well. */
const mapMs = 1000

/** A node without slots, asked on the word of another one, is kept for so long. */
const guestMs = 10_000

/** Calls on slots that moved to a new node wait for it to count for so long, each no longer than its deadline. */
const welcomeMs = 1000

/** So often a batch is sent elsewhere, all within its deadline. */
const redirectionsMax = 6

/** Between two looks whether something has come that a redirected batch waits for. */
const pollMs = 2

/**
 * Spreads counting over the primaries of a cluster, each with its own
 * connection, breaker and {@link SharedMode}: a node that is away degrades its
 * own slots only.
 *
 * Which node has which slot is asked of any node that sees a majority of the
 * cluster: once a second, while a node with slots is away four times a second,
 * and at once when a node says that a slot is not its own. What a slot's change
 * of hands means is decided by the node it came from. If that one still has
 * slots, the slot has moved with all it held. If not, it failed (or gave its
 * last slots away, which cannot be told apart), and the new one is treated like
 * a server that has lost something: see {@link SharedMode}.
 *
 * MOVED, ASK and TRYAGAIN mean that nothing ran. The batch is sent again, within
 * the deadline it had from the start; on the last two in parts, of one bucket
 * where that is possible, because of keys that are apart only single ones can
 * be reached.
 */
export function createClusterServers(options: ClusterServersOptions): CountingServers {
  const { address, clock, inFlight, monotonic, log, decideAlone } = options
  const nodes = new Map<string, Node>()
  let owners: (Node | undefined)[] = []
  let isCovered = false
  let isClosed = false
  let adopted = ''
  let learntAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined
  let turn = 0

  const { username, password, isEncrypted } = address
  function addressOf(server: RedisHost): SingleRedis {
    return { topology: 'single', username, password, isEncrypted, server, database: 0 }
  }

  function nodeAt(host: RedisHost): Node {
    const name = `${host.host}:${host.port}`
    const known = nodes.get(name)
    if (known !== undefined) return known
    const server = options.openServer({
      address: addressOf(host),
      node: name,
      buckets: {
        slotOf: hashSlot,
        isOurs: (bucket) => owners[hashSlot(bucket)]?.server === server,
        areSlotted: true,
      },
      markerPlace: () => node.marker?.place,
      runIdOtherwise: name,
      isComplete: () => node.isComplete,
      onRedirected: (batch, redirection, sending) => sendAgain(node, batch, redirection, sending),
      onMisplaced: () => void refresh(),
      onShared() {
        // The slots it waited with can be its own now.
        if (node.isComplete) void refresh()
        node.isComplete = false
        if (isUp()) options.onUp()
      },
      onLost() {
        if (node.slots > 0) options.onDown()
        void refresh()
      },
    })
    const node: Node = {
      ...{ host, server, slots: 0, marker: undefined, isComplete: false },
      ...{ since: Number.POSITIVE_INFINITY, usedAt: monotonic() },
    }
    nodes.set(name, node)
    return node
  }

  function isUp(): boolean {
    if (!isCovered) return false
    for (const { server, slots } of nodes.values())
      if (slots > 0 && !server.isShared()) return false
    return true
  }

  /** One at a time; whoever comes meanwhile gets the one under way. */
  function refresh(): Promise<void> {
    refreshing ??= learnSlots().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function learnSlots(): Promise<void> {
    // In turns, and those first that are known to answer.
    const known = [...nodes.values()].filter(({ server }) => server.connection.isReady())
    turn += 1
    const inTurns = known.map((_, index) => known[(index + turn) % known.length])
    const asked = inTurns.toSorted(
      (a, b) => Number(b?.server.isShared()) - Number(a?.server.isShared()),
    )
    for (const node of asked) {
      if (node === undefined || isClosed) continue
      const ranges = await slotsSeenBy(node.host, node.server.connection).catch(() => undefined)
      if (ranges !== undefined) return adopt(ranges)
    }
    for (const host of address.nodes) {
      if (isClosed) return
      const ranges = await askSeed(host)
      if (ranges !== undefined) return adopt(ranges)
    }
    options.onDown()
  }

  async function slotsSeenBy(
    host: RedisHost,
    connection: Pick<CountingServer['connection'], 'clusterSlots'>,
  ): Promise<SlotRange[] | undefined> {
    const answer = await connection.clusterSlots(patienceMs)
    return answer === undefined ? undefined : readClusterSlots(answer, host)
  }

  async function askSeed(host: RedisHost): Promise<SlotRange[] | undefined> {
    const ready = Promise.withResolvers<void>()
    const connection = openRedisConnection({
      address: addressOf(host),
      monotonic,
      onReady: ready.resolve,
      onLost: (cause) => ready.reject(cause ?? new Error('the connection was closed')),
    })
    const late = setTimeout(() => ready.reject(new Error('no connection in time')), seedMs)
    try {
      await ready.promise
      return await slotsSeenBy(host, connection)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (owners.length === 0)
        log.warn({ ...host, reason }, 'a node of the cluster does not tell its slots')
      return undefined
    } finally {
      clearTimeout(late)
      connection.close()
    }
  }

  function adopt(ranges: readonly SlotRange[]): void {
    if (isClosed) return
    learntAt = monotonic()
    const text = JSON.stringify(ranges)
    if (text !== adopted) {
      adopted = text
      takeOver(ranges)
    }
    for (const [name, node] of nodes) {
      if (node.slots > 0) node.usedAt = learntAt
      if (learntAt - node.usedAt < guestMs) continue
      nodes.delete(name)
      node.server.close()
    }
  }

  function takeOver(ranges: readonly SlotRange[]): void {
    const next = new Array<Node | undefined>(slots).fill(undefined)
    for (const { first, last, primary } of ranges) next.fill(nodeAt(primary), first, last + 1)
    const owned = Map.groupBy(next.keys(), (slot) => next[slot])
    for (const node of nodes.values()) {
      const now = owned.get(node) ?? []
      if (node.slots === 0 && now.length > 0) {
        node.since = learntAt
        node.isComplete = now.every((slot) => {
          const before = owners[slot]
          return before !== undefined && owned.has(before)
        })
      }
      node.slots = now.length
      const slot = markerSlot(now)
      if (slot === undefined) node.marker = undefined
      else if (node.marker?.slot !== slot) node.marker = { slot, place: placeInSlot(slot) }
    }
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
  }

  /** What did not run at one node is asked of the one that has it, or of the same in parts. */
  function sendAgain(
    from: Node,
    batch: CallBatch,
    redirection: Redirection,
    before: Sending,
  ): void {
    const slot = hashSlot(batch.buckets[0]?.bucket ?? '')
    const { deadlineAt } = before
    const sending: Sending = { deadlineAt, redirections: before.redirections + 1 }
    const parts = redirection.kind === 'moved' ? [batch] : splitBatch(batch)
    if (parts.length > 1) {
      inFlight.delete(batch)
      from.server.send(parts, sending)
      return
    }
    if (sending.redirections > redirectionsMax) {
      giveUp(batch)
      return
    }
    if (redirection.kind === 'ask') {
      const { server } = guestAt(from, redirection.to)
      whenSo(
        () => server.connection.isReady(),
        batch,
        deadlineAt,
        () => {
          server.send([batch], { ...sending, isAsking: true })
        },
      )
      return
    }
    if (redirection.kind === 'moved') {
      const to = nodes.get(nameOf(from, redirection.to))
      // A node with slots got another one. Of any other the map has to tell more.
      if (to !== undefined && to.slots > 0) {
        owners[slot] = to
        adopted = ''
      }
      void refresh()
    }
    const notBefore = monotonic() + (redirection.kind === 'apart' ? pollMs : 0)
    whenSo(
      () => monotonic() >= notBefore && isToBeAsked(slot, redirection, from),
      batch,
      deadlineAt,
      () => owners[slot]?.server.send([batch], sending),
    )
  }

  function isToBeAsked(slot: number, { kind }: Redirection, from: Node): boolean {
    const owner = owners[slot]
    return owner?.server.isShared() === true && !(kind === 'moved' && owner === from)
  }

  function nameOf(from: Node, { host, port }: RedisHost): string {
    return `${host === '' ? from.host.host : host}:${port}`
  }

  function guestAt(from: Node, to: RedisHost): Node {
    const node = nodeAt(to.host === '' ? { host: from.host.host, port: to.port } : to)
    node.usedAt = monotonic()
    return node
  }

  function giveUp(batch: CallBatch): void {
    inFlight.delete(batch)
    decideAlone(batch)
  }

  function whenSo(
    isSo: () => boolean,
    batch: CallBatch,
    deadlineAt: number,
    then: () => void,
  ): void {
    if (isSo()) then()
    else if (monotonic() >= deadlineAt || isClosed) giveUp(batch)
    else setTimeout(() => whenSo(isSo, batch, deadlineAt, then), pollMs)
  }

  function serverOf(slot: number): CountingServer | undefined {
    return owners[slot]?.server
  }

  void refresh()
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
    async ask(slot, command) {
      for (let attempt = 1; ; attempt += 1) {
        const node = owners[slot]
        if (node === undefined) throw new Error('no node of the cluster is known to have the slot')
        try {
          return await node.server.connection.ask(command)
        } catch (error) {
          const redirection = error instanceof Error ? redirectionOf(error) : undefined
          if (redirection === undefined || attempt === redirectionsMax) throw error
          if (redirection.kind === 'ask') {
            const { connection } = guestAt(node, redirection.to).server
            if (connection.isReady()) return await connection.ask({ ...command, isAsking: true })
          }
          if (redirection.kind === 'moved') await refresh()
          await delay(pollMs * attempt)
        }
      }
    },
    isUp,
    beat() {
      for (const { server } of nodes.values()) server.beat()
      if (!isUp() || monotonic() - learntAt >= mapMs) void refresh()
    },
    close() {
      isClosed = true
      for (const { server } of nodes.values()) server.close()
    },
  }
}
