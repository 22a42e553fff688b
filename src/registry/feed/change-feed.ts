import type { Logger } from '../../platform/log/log.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import { type ChangeKind, type ChangeOf, isMomentary } from './change.ts'
import type { ChangeTable } from './change-table.ts'
import type { ChangePage, KeptChange } from './read-changes.ts'

export type Listener<Kind extends ChangeKind> = (change: ChangeOf<Kind>) => void

/** Reports every change of the registry, whichever process made it. */
export interface ChangeFeed {
  /**
   * Calls `listener` for each change of that kind: once, but again after a move to another server or an
   * outage, a reload excepted. Returns a function that removes the listener.
   */
  onChange<Kind extends ChangeKind>(kind: Kind, listener: Listener<Kind>): () => void
  /** Calls `listener` when changes may have been missed, so that no cached state can be trusted. */
  onLost(listener: () => void): () => void
  /** Whether the registry answered within the last two seconds. */
  isUp(): boolean
  /** Seconds since the registry last answered. */
  ageSeconds(): number
  close(): Promise<void>
}

export interface ChangeFeedOptions {
  /** Its reads must end in time, if necessary with an error, because the next one begins only then. */
  readonly changes: Pick<ChangeTable, 'read' | 'prune'>
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>
  readonly monotonicNow: () => number
  /** Reports the end of every transaction ({@link Database.onTransaction}); undefined if only polling finds changes. */
  readonly onTransaction?: ((listener: () => void) => void) | undefined
  /** Pause between the end of a read and the next one. (Default: 500, and 5000 where the end of transactions is reported) */
  readonly intervalMs?: number
}

/** What a read may take. */
const readMs = 1_500
/** Before every transaction. */
const firstHorizon = '0'
/** Changes are kept for an hour. A process that was away for half an hour may have missed some. */
const keptSeconds = 3_600
const bridgedMs = 1_800_000
/**
 * By how much the clocks of two servers of a database may differ, and how long a
 * transaction takes with its change.
 */
const clocksMs = 60_000
const pruneEveryMs = 300_000

/**
 * Polls the change table. Where the database reports transactions, it reads the
 * table after each one, and polls only to learn whether the database answers.
 * Resolves after the first read, so no later change is missed.
 */
export async function openChangeFeed(options: ChangeFeedOptions): Promise<ChangeFeed> {
  const { changes, log, monotonicNow, onTransaction } = options
  const intervalMs = options.intervalMs ?? (onTransaction === undefined ? 500 : 5_000)
  const listeners: { readonly [Kind in ChangeKind]: Set<Listener<Kind>> } = {
    developer: new Set(),
    application: new Set(),
    subscription: new Set(),
    key: new Set(),
    certificate: new Set(),
    counter: new Set(),
    configuration: new Set(),
  }
  const lostListeners = new Set<() => void>()
  let last: ChangePage = await changes.read(undefined)
  const openedAt = last.at.getTime()
  /** When each reload that was reported was requested, by id. A server may give the id of a lost change again. */
  const reloads = new Map<number, number>()
  let lastReadAt = monotonicNow()
  let pruneAt = lastReadAt + Math.random() * pruneEveryMs
  let isClosed = false
  let isFailing = false
  const reading = repeatedly({
    everyMs: intervalMs,
    work: read,
    onFailure(err) {
      isFailing = true
      log.warn({ err }, 'change feed cannot be read')
    },
  })
  onTransaction?.(() => reading.now())

  async function read(): Promise<void> {
    const page = await changes.read(last.horizon)
    // Another server, or the same one started again. A standby that was promoted, or a server that crashed, may have
    // given numbers of lost transactions to others, so kept changes are looked at once more.
    const isMoved = page.server !== last.server
    const again = isMoved || isFailing ? await changes.read(firstHorizon) : undefined
    if (isClosed) return
    const fresh = freshIn(page, again, isMoved)
    const againFrom = isMoved ? 0 : last.at.getTime() - clocksMs
    take(
      again ?? page,
      (change) => fresh.has(change.id) || (again !== undefined && isToldAgain(change, againFrom)),
    )
    if (isFailing) log.info({}, 'change feed reads again')
    isFailing = false
    lastReadAt = monotonicNow()
    prune()
  }

  /**
   * Ids of changes that this process has not read before. After a move the first page tells nothing: another server may give
   * the same ids.
   */
  function freshIn(page: ChangePage, again: ChangePage | undefined, isMoved: boolean): Set<number> {
    const seen = new Set(last.changes.map(({ id }) => id))
    const fresh = isMoved ? [] : page.changes.filter(({ id }) => !seen.has(id))
    const known = new Set(page.changes.map(({ id }) => id))
    // Committed between the two reads.
    const later = (again?.changes ?? []).filter(
      ({ id, xid }) => BigInt(xid) >= BigInt(page.horizon) && !known.has(id),
    )
    return new Set([...fresh, ...later].map(({ id }) => id))
  }

  function take(page: ChangePage, isDue: (change: KeptChange) => boolean): void {
    // If time leaps or transaction ids go back, this is another database: a restored backup.
    const isLost =
      page.at.getTime() - last.at.getTime() > bridgedMs ||
      BigInt(page.horizon) < BigInt(last.horizon)
    last = page
    if (isLost) {
      log.warn({}, 'changes may have been missed, everything is looked up again')
      for (const listener of lostListeners) tell(listener)
    }
    for (const change of page.changes.filter(isDue)) {
      if (change.kind === 'configuration') reloads.set(change.id, change.madeAt)
      report(change.kind, change)
    }
  }

  /**
   * What was looked up may be older than the change. A reload is not repeated:
   * it would take files that are half written.
   */
  function isToldAgain(change: KeptChange, from: number): boolean {
    const { id, madeAt, kind } = change
    if (madeAt < from || isMomentary(change)) return false
    return kind !== 'configuration' || !(isOld(madeAt) || reloads.get(id) === madeAt)
  }

  /** Whether a reload is from before this process read its files. */
  function isOld(madeAt: number): boolean {
    return madeAt < openedAt - clocksMs
  }

  function report<Kind extends ChangeKind>(kind: Kind, change: ChangeOf<Kind>): void {
    for (const listener of listeners[kind]) tell(() => listener(change))
  }

  function tell(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      log.error({ err: error }, 'a listener of the change feed failed')
    }
  }

  function prune(): void {
    if (monotonicNow() < pruneAt) return
    pruneAt = monotonicNow() + pruneEveryMs
    const keptFrom = last.at.getTime() - keptSeconds * 1000 - clocksMs
    for (const [id, madeAt] of reloads) if (madeAt < keptFrom) reloads.delete(id)
    // Not awaited: the next prune, by any process, deletes what is left.
    changes.prune(keptSeconds).catch((error: unknown) => {
      log.warn({ err: error }, 'old changes not deleted')
    })
  }

  return {
    onChange(kind, listener) {
      listeners[kind].add(listener)
      return () => listeners[kind].delete(listener)
    },
    onLost(listener) {
      lostListeners.add(listener)
      return () => lostListeners.delete(listener)
    },
    isUp: () => monotonicNow() - lastReadAt < intervalMs + readMs,
    ageSeconds: () => (monotonicNow() - lastReadAt) / 1000,
    async close() {
      isClosed = true
      await reading.close()
    },
  }
}
