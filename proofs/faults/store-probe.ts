import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from './monotonic.ts'

/** Observes, independently of the gateways, when a Redis server accepts writes. */
export interface StoreProbe {
  /** Monotonic milliseconds since which every write was accepted; undefined if the last write was not. */
  acceptsSince(): number | undefined
  /** Switches to another server. @param key determines the slot */
  target(port: number, key?: string): void
  stop(): void
}

/** If an answer takes longer, the server was hanging until it came. */
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
  const key = `${slotKey}:store-probe`
  return `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$1\r\n1\r\n`
}
