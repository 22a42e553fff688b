import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpPool } from './http-pool.ts'
import { monotonicMs } from './monotonic.ts'

/** Tells, from outside and by another way than the gateways, when a Redis accepts writes. */
export interface StoreProbe {
  /** Monotonic milliseconds since which every write was accepted; undefined while the last one was not. */
  acceptsSince(): number | undefined
  /** Asks another server from now on, about a key that may have to lie in some slot. */
  target(port: number, key?: string): void
  stop(): void
}

/** An answer that takes longer is the end of a hang. */
const slowMs = 300

/** Writes a key of its own every 10 ms, as `redis-cli SET` does, and waits for each answer for as long as it takes. */
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
      // What took so long was not accepted before.
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

/** @param place what decides the slot */
function setRequest(place: string): string {
  const key = `${place}:probe-of-the-tests`
  return `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$1\r\n1\r\n`
}

/** What each gateway says of its counters, over time. */
export interface ModeWatch {
  /** Whether all of them share their counts now. */
  isShared(): boolean
  /** Whether none does. */
  isAway(): boolean
  /** For each gateway the first moment (monotonic ms) not before `since` at which it was away; undefined when never. */
  awaySince(since: number): readonly (number | undefined)[]
  /** For each gateway the first moment not before `since` from which on it stayed in shared mode until now; undefined when it is away. */
  sharedSince(since: number): readonly (number | undefined)[]
  stop(): void
}

interface Change {
  readonly at: number
  readonly isShared: boolean
}

/** Between two looks. */
const lookMs = 25

/** Asks `/readyz?verbose` of every management listener. A gateway that does not answer is away. */
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
      await delay(lookMs)
    }
  }
  for (const gateway of managements.keys()) void watch(gateway)

  const isSharedNow = (known: readonly Change[]): boolean => known.at(-1)?.isShared === true
  return {
    isShared: () => changes.every(isSharedNow),
    isAway: () => !changes.some(isSharedNow),
    awaySince: (since) =>
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
