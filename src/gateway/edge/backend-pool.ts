import { Client, type Dispatcher } from 'undici'

/** Told by the pool what it needs; everything else as undici's handlers. */
export interface PooledHandler extends Dispatcher.DispatchHandler {
  /**
   * Set by the pool. To be called as soon as undici has said its last word
   * (`onComplete` or `onError`), or the request is given up before it was sent.
   */
  release: () => void
}

/** Connections to the backend, each for one request at a time. */
export interface BackendPool {
  /** Sends a request on a connection that is free, opens one, or waits for the first to become free. */
  dispatch(request: Dispatcher.DispatchOptions, handler: PooledHandler): void
  /** Resolves when what is under way has come to its end and all connections are closed. */
  close(): Promise<void>
}

export interface BackendPoolOptions {
  /** Origin of the backend. */
  readonly url: string
  readonly connectionsMax: number
  /** A connection that is older is not used again. */
  readonly connectionMsMax: number
  readonly client: Client.Options
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

interface Connection {
  readonly client: Client
  readonly openedAt: number
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions
  readonly handler: PooledHandler
}

function done(): void {}

/**
 * Creates a pool that takes the connection used last, in one step. Undici's own
 * looks at the age of every connection before the first free one, for every
 * request; with 64 of them that was a twentieth of a forwarded call.
 */
export function createBackendPool(options: BackendPoolOptions): BackendPool {
  const { url, connectionsMax, connectionMsMax, monotonic } = options
  const all = new Set<Connection>()
  const free: Connection[] = []
  /** First come, first served; empty unless every connection is in use. */
  const waiting = new Set<Waiting>()

  function open(): Connection {
    const client = new Client(url, { ...options.client, pipelining: 1 })
    const connection = { client, openedAt: monotonic() }
    all.add(connection)
    return connection
  }

  function send(connection: Connection, { request, handler }: Waiting): void {
    handler.release = () => {
      handler.release = done
      release(connection)
    }
    connection.client.dispatch(request, handler)
  }

  function release(connection: Connection): void {
    if (monotonic() - connection.openedAt > connectionMsMax) retire(connection)
    else free.push(connection)
    // Not at once: undici is in the middle of its books here, and after a failed connect it asserts that nothing was added.
    if (waiting.size > 0) queueMicrotask(sendWaiting)
  }

  function sendWaiting(): void {
    for (const next of waiting) {
      const connection = take()
      if (connection === undefined) return
      waiting.delete(next)
      send(connection, next)
    }
  }

  /** One that is free, or a new one; undefined when all are in use. */
  function take(): Connection | undefined {
    return free.pop() ?? (all.size < connectionsMax ? open() : undefined)
  }

  function retire(connection: Connection): void {
    all.delete(connection)
    // Nothing is under way on it, so this only says goodbye.
    connection.client.close().catch(() => undefined)
  }

  return {
    dispatch(request, handler) {
      const connection = waiting.size === 0 ? take() : undefined
      if (connection !== undefined) send(connection, { request, handler })
      else {
        const place = { request, handler }
        waiting.add(place)
        handler.release = () => void waiting.delete(place)
      }
    },
    async close() {
      await Promise.all([...all].map(({ client }) => client.close()))
    },
  }
}
