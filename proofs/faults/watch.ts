import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpPool } from './http-pool.ts'
import { monotonicMs } from './monotonic.ts'

/** Observes, independently of the gateways, when a Redis server accepts writes. */
export interface StoreProbe {
  /** Monotonic milliseconds since which every write was accepted; undefined if the last write was not. */
  acceptsSince(): number | undefined
  /** Switches to another server. @param key determines the slot */
  target(port: number, key?: string): void
  stop(): void
}

/** A slower answer means that the server hung until then. */
const slowMs = 300

/** Writes its own key every 10 ms, as `redis-cli SET` does, and waits for each answer without a timeout. */
export function startStoreProbe(startPort: number): StoreProbe {
  let port = startPort
  let request = setRequest('')
  let isStopped = false
  let since: number | undefined
  let socket: Socket | undefined

  function connection(): Socket {
    if (socket !== undefined && !socket.destroyed) return socket
    socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => undefined)
    return socket
  }

  function write(): Promise<boolean> {
    return new Promise((resolve) => {
      const asked = connection()
      const settle = (text: string) => {
        asked.off('data', onData).off('close', onClose)
        resolve(text.startsWith('+OK'))
      }
      const onData = (chunk: Buffer) => settle(chunk.toString('latin1'))
      const onClose = () => settle('')
      asked.on('data', onData).on('close', onClose)
      asked.write(request)
    })
  }

  async function probe(): Promise<void> {
    while (!isStopped) {
      const askedAt = monotonicMs()
      const isAccepted = await write()
      // A slow write was accepted only now.
      if (!isAccepted || monotonicMs() - askedAt > slowMs) since = undefined
      if (isAccepted) since ??= monotonicMs()
      await delay(10)
    }
  }
  void probe()

  return {
    acceptsSince: () => since,
    target(next, key = '') {
      port = next
      request = setRequest(key)
      since = undefined
      socket?.destroy()
    },
    stop() {
      isStopped = true
      socket?.destroy()
    },
  }
}

/** @param slotKey determines the slot */
function setRequest(slotKey: string): string {
  const key = `${slotKey}:probe-of-the-tests`
  return `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$1\r\n1\r\n`
}

/** Whether each gateway shares its counts, over time. */
export interface ModeWatch {
  /** Whether every gateway shares its counts now. */
  isShared(): boolean
  /** Whether no gateway does. */
  isUnshared(): boolean
  /**
   * For each gateway, the first moment (monotonic ms) at or after `since` at which it did not; undefined if it always did.
   */
  unsharedSince(since: number): readonly (number | undefined)[]
  /**
   * For each gateway, the first moment at or after `since` from which it has been in shared mode; undefined if it is not
   * now.
   */
  sharedSince(since: number): readonly (number | undefined)[]
  stop(): void
}

interface Change {
  readonly at: number
  readonly isShared: boolean
}

/** Interval between two polls. */
const pollMs = 25

/** Polls `/readyz?verbose` on every management listener. A gateway that does not answer counts as not shared. */
export function watchModes(managements: readonly string[]): ModeWatch {
  let isStopped = false
  const pools = managements.map((management) =>
    createHttpPool({ port: Number(new URL(management).port), connectionsMax: 2 }),
  )
  const changes: Change[][] = managements.map(() => [])

  function note(gateway: number, isShared: boolean): void {
    const known = changes[gateway]
    if (known?.at(-1)?.isShared !== isShared) known?.push({ at: monotonicMs(), isShared })
  }

  async function watch(gateway: number): Promise<void> {
    while (!isStopped) {
      await new Promise<void>((resolve) => {
        pools[gateway]?.ask('GET /readyz?verbose HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n', (answer) => {
          note(gateway, /"counters","isready":true/i.test(answer?.body ?? ''))
          resolve()
        })
      })
      await delay(pollMs)
    }
  }
  for (const gateway of managements.keys()) void watch(gateway)

  const isSharedNow = (known: readonly Change[]): boolean => known.at(-1)?.isShared === true
  return {
    isShared: () => changes.every(isSharedNow),
    isUnshared: () => !changes.some(isSharedNow),
    unsharedSince: (since) =>
      changes.map((known) => {
        const before = known.findLast(({ at }) => at < since)
        if (before?.isShared === false) return since
        return known.find(({ at, isShared }) => at >= since && !isShared)?.at
      }),
    sharedSince: (since) =>
      changes.map((known) => {
        const last = known.at(-1)
        return last?.isShared === true ? Math.max(since, last.at) : undefined
      }),
    stop() {
      isStopped = true
      for (const pool of pools) pool.close()
    },
  }
}
