import { setTimeout as delay } from 'node:timers/promises'
import type { RedisHost } from '../../../../platform/redis/redis-address.ts'
import type { Roster } from '../../../../platform/roster.ts'
import { CallBatch } from '../call-batch.ts'
import type { Ask } from '../servers.ts'
import type { ClusterNode, ClusterNodes } from './cluster-nodes.ts'
import { hashSlot } from './hash-slot.ts'
import type { NodeSending } from './node-sending.ts'
import { type Redirection, redirectionOf } from './redirection.ts'
import type { SlotOwners } from './slot-owners.ts'

/** Resends batches that a cluster node did not run, because their slot is on another node or moving. */
export interface Resending {
  /** Sends a batch that did not run on one node to the node that has its slot, whole or in parts. */
  sendAgain(
    from: ClusterNode,
    batch: CallBatch,
    redirection: Redirection,
    before: NodeSending,
  ): void
  /** See {@link CountingServers.ask}. */
  readonly ask: Ask
  close(): void
}

export interface ResendingOptions {
  readonly nodes: Pick<ClusterNodes, 'at' | 'find'>
  readonly owners: Pick<SlotOwners, 'of' | 'redirect' | 'refresh'>
  readonly inFlight: Roster<CallBatch>
  readonly monotonic: () => number
  decideAlone(batch: CallBatch): void
}

/** Maximum number of redirections of a batch, all within its deadline. */
const redirectionsMax = 6

/** Interval between checks for what a redirected batch waits for. */
const pollMs = 2

/**
 * MOVED, ASK and TRYAGAIN mean that nothing ran. The batch is sent again within
 * its original deadline. After ASK or TRYAGAIN it goes in parts, of one bucket
 * where possible: while a slot moves, its keys are on two nodes, and only
 * single keys are certain to be reachable.
 */
export function createResending(options: ResendingOptions): Resending {
  const { nodes, owners, inFlight, monotonic, decideAlone } = options
  let isClosed = false

  function sendAgain(
    from: ClusterNode,
    batch: CallBatch,
    redirection: Redirection,
    before: NodeSending,
  ): void {
    const slot = hashSlot(batch.buckets[0]?.bucket ?? '')
    const { deadlineAt } = before
    const sending: NodeSending = { deadlineAt, redirections: before.redirections + 1 }
    const parts = redirection.kind === 'moved' ? [batch] : splitBatch(batch)
    if (parts.length > 1) {
      inFlight.delete(batch)
      from.send(parts, sending)
      return
    }
    if (sending.redirections > redirectionsMax) {
      giveUp(batch)
      return
    }
    if (redirection.kind === 'ask') {
      const guest = guestAt(from, redirection.to)
      whenSo(
        () => guest.server.connection.isReady(),
        batch,
        deadlineAt,
        () => {
          guest.send([batch], { ...sending, isAsking: true })
        },
      )
      return
    }
    if (redirection.kind === 'moved') {
      const to = nodes.find(hostOf(from, redirection.to))
      // A node that already had slots received another one. For any other node, wait for the slot map.
      if (to !== undefined && to.slots > 0) owners.redirect(slot, to)
      void owners.refresh()
    }
    const notBefore = monotonic() + (redirection.kind === 'apart' ? pollMs : 0)
    whenSo(
      () => monotonic() >= notBefore && isToBeAsked(slot, redirection, from),
      batch,
      deadlineAt,
      () => owners.of(slot)?.send([batch], sending),
    )
  }

  function isToBeAsked(slot: number, { kind }: Redirection, from: ClusterNode): boolean {
    const owner = owners.of(slot)
    return owner?.server.decidesCalls() === true && !(kind === 'moved' && owner === from)
  }

  function hostOf(from: ClusterNode, { host, port }: RedisHost): RedisHost {
    return { host: host === '' ? from.host.host : host, port }
  }

  function guestAt(from: ClusterNode, to: RedisHost): ClusterNode {
    const node = nodes.at(hostOf(from, to))
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

  return {
    sendAgain,
    async ask(command) {
      // All keys of a command have one slot.
      const slot = hashSlot(command.keys[0] ?? '')
      for (let attempt = 1; ; attempt += 1) {
        const node = owners.of(slot)
        if (node === undefined) throw new Error('no node of the cluster is known to have the slot')
        try {
          return await node.server.connection.ask(command)
        } catch (error) {
          const redirection = error instanceof Error ? redirectionOf(error) : undefined
          if (redirection === undefined || attempt === redirectionsMax) throw error
          if (redirection.kind === 'ask') {
            const { connection } = guestAt(node, redirection.to).server
            if (connection.isReady())
              return await connection.ask({ ...command, preceding: 'ASKING' })
          }
          if (redirection.kind === 'moved') await owners.refresh()
          await delay(pollMs * attempt)
        }
      }
    },
    close() {
      isClosed = true
    },
  }
}

/**
 * Splits a batch into one for each set of buckets. Deciding them in order gives
 * the same result as the whole batch. While a slot moves between nodes, its
 * keys are on both, and a request for fewer keys is more likely to find all its
 * keys on one node.
 */
function splitBatch(batch: CallBatch): CallBatch[] {
  const parts = new Map<string, CallBatch>()
  for (const call of batch.calls()) {
    const key = call.limits.map(({ bucket }) => bucket).join(' ')
    let part = parts.get(key)
    if (part === undefined) {
      part = new CallBatch()
      parts.set(key, part)
    }
    part.add(call)
  }
  return [...parts.values()]
}
