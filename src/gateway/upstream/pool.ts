import { prepareAnswerParser } from './answer-parser.ts'
import {
  type AnswerHandler,
  type Connection,
  openConnection,
  type UpstreamRequest,
} from './connection.ts'

export interface PoolOptions {
  /** Origin of the backend. */
  readonly url: string
  readonly connectionsMax: number
  /** A connection that is older is not used again. */
  readonly connectionMsMax: number
  readonly connectMsMax: number
  /** How long a connection may rest and be used again, unless the backend says otherwise; and in any case. */
  readonly restMsMax: number
  readonly restMsCeiling: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** Connections to the backend, each for one request at a time. */
export interface Pool {
  /** Sends a request on a connection that is free, opens one, or waits for the first to become free. */
  dispatch(request: UpstreamRequest, handler: AnswerHandler): Dispatched
  /** Closes free connections that have rested too long or are too old. Called now and then. */
  tidy(): void
  /** Resolves when what is under way has come to its end and all connections are closed. */
  close(): Promise<void>
}

/** A request that was given to the pool, until its handler has heard the end. */
export interface Dispatched {
  /** Whether it waits for a connection. */
  readonly isWaiting: boolean
  /** Whether the backend takes no more of its body at present. */
  readonly isStuck: boolean
  /** How often it has taken what there was of the body, after it was stuck. */
  readonly drains: number
  /** Gives it up: its handler hears nothing more. */
  abandon(): void
  /** The handler can take more. */
  resume(): void
}

class Place implements Dispatched {
  readonly request: UpstreamRequest
  readonly handler: AnswerHandler
  connection: Connection | undefined = undefined
  readonly #giveUp: (place: Place) => void

  constructor(request: UpstreamRequest, handler: AnswerHandler, giveUp: (place: Place) => void) {
    this.request = request
    this.handler = handler
    this.#giveUp = giveUp
  }

  get isWaiting(): boolean {
    return this.connection === undefined
  }

  get isStuck(): boolean {
    return this.connection?.isStuck === true
  }

  get drains(): number {
    return this.connection?.drains ?? 0
  }

  abandon(): void {
    if (this.connection === undefined) this.#giveUp(this)
    else this.connection.abandon(this.handler)
  }

  resume(): void {
    this.connection?.resume(this.handler)
  }
}

/**
 * Creates a pool that takes the connection used last, in one step; first come,
 * first served.
 *
 * Requests go out when the event loop has read all its sockets, as with undici
 * (GHSA-35p6-xmwp-9g52): what a backend sent unasked on a resting connection, or
 * its farewell, has been seen before the next request is put on it.
 */
export function createPool(options: PoolOptions): Pool {
  prepareAnswerParser()
  const { connectionsMax, connectionMsMax, monotonic } = options
  const settings = { ...options, origin: new URL(options.url), memory: { tlsSession: undefined } }
  const all = new Set<Connection>()
  const free: Connection[] = []
  let waiting: Place[] = []
  let isSending = false
  let closed: PromiseWithResolvers<void> | undefined

  const owner = {
    released(connection: Connection): void {
      const { openedAt, freeSince, restMsMax } = connection
      const isOld = freeSince - openedAt > connectionMsMax
      if (isOld || restMsMax <= 0 || closed !== undefined) connection.retire()
      else free.push(connection)
      sendSoon()
    },
    left(connection: Connection): void {
      all.delete(connection)
      const at = free.indexOf(connection)
      if (at !== -1) free.splice(at, 1)
      sendSoon()
      closeIfIdle()
    },
  }

  function closeIfIdle(): void {
    if (all.size === 0 && waiting.length === 0) closed?.resolve()
  }

  function sendSoon(): void {
    if (isSending || waiting.length === 0) return
    isSending = true
    setImmediate(sendWaiting)
  }

  function sendWaiting(): void {
    isSending = false
    let sent = 0
    for (const place of waiting) {
      const connection = take()
      if (connection === undefined) break
      sent += 1
      place.connection = connection
      connection.send(place.request, place.handler)
    }
    waiting = sent === waiting.length ? [] : waiting.slice(sent)
  }

  /** One that is free, or a new one; undefined when all are in use. */
  function take(): Connection | undefined {
    const connection = free.pop()
    if (connection !== undefined || all.size >= connectionsMax) return connection
    const opened = openConnection(settings, owner)
    all.add(opened)
    return opened
  }

  function giveUp(place: Place): void {
    waiting = waiting.filter((other) => other !== place)
    closeIfIdle()
  }

  return {
    dispatch(request, handler) {
      const place = new Place(request, handler, giveUp)
      waiting.push(place)
      sendSoon()
      return place
    },
    tidy() {
      const at = monotonic()
      // Those used last lie on top.
      for (const connection of [...free]) {
        const { openedAt, freeSince, restMsMax } = connection
        if (at - freeSince > restMsMax || at - openedAt > connectionMsMax) connection.retire()
      }
    },
    async close() {
      closed ??= Promise.withResolvers()
      for (const connection of [...free]) connection.retire()
      closeIfIdle()
      await closed.promise
    },
  }
}
