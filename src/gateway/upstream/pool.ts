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
  /** Maximum number of simultaneous connections per lane. */
  readonly connectionsPerLane: number
  /** Maximum age at which a connection is reused. */
  readonly connectionMsMax: number
  readonly connectMsMax: number
  /** Idle time after which a connection is not reused: the default when the backend announces no timeout, and the upper bound. */
  readonly restMsMax: number
  readonly restMsCeiling: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * Keeps connections to the backend, each for one request at a time. This folder
 * is the gateway's HTTP/1.1 client: the pool, a connection, and the parser that
 * reads a response without copying it. It exists because general clients cost a
 * large part of a forwarded call; `connection.ts` states the measured gain.
 */
export interface Pool {
  /** Sends a request on a free connection, opens one, or waits for the next free connection of its lane. */
  dispatch(request: UpstreamRequest, handler: AnswerHandler): Dispatched
  /** Closes connections that are too old or idle for too long. Called periodically. */
  tidy(): void
  /** Resolves when all current requests have ended and all connections are closed. */
  close(): Promise<void>
}

/** A request in the pool, until its handler has its outcome. */
export interface Dispatched {
  /** Whether it still waits for a connection. */
  readonly isWaiting: boolean
  /** Grows while the backend accepts the body. */
  readonly piecesTaken: number
  /** Cancels the request; its handler gets no further calls. */
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

  get piecesTaken(): number {
    return this.connection?.piecesTaken ?? 0
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
 * Creates a pool. It reuses the most recently used connection. Requests are
 * first come, first served, except in lanes that have reached their bound.
 *
 * Requests go out after the event loop has read all sockets, as in undici
 * (GHSA-35p6-xmwp-9g52). So the gateway sees what a backend sent unasked on an
 * idle connection, or that it closed, before it puts the next request there.
 */
export function createPool(options: PoolOptions): Pool {
  prepareAnswerParser()
  const { connectionsMax, connectionsPerLane, connectionMsMax, monotonic } = options
  const settings = { ...options, origin: new URL(options.url), memory: { tlsSession: undefined } }
  const all = new Set<Connection>()
  const free: Connection[] = []
  let waiting: Place[] = []
  let isSending = false
  let closed: PromiseWithResolvers<void> | undefined

  const owner = {
    released(connection: Connection): void {
      leaveLane(connection)
      const { openedAt, freeSince, restMsMax } = connection
      const isOld = freeSince - openedAt > connectionMsMax
      if (isOld || restMsMax <= 0 || closed !== undefined) connection.retire()
      else free.push(connection)
      sendSoon()
    },
    left(connection: Connection): void {
      leaveLane(connection)
      all.delete(connection)
      const at = free.indexOf(connection)
      if (at !== -1) free.splice(at, 1)
      sendSoon()
      closeIfIdle()
    },
  }

  function leaveLane(connection: Connection): void {
    if (connection.lane === undefined) return
    connection.lane.connections -= 1
    connection.lane = undefined
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
    const left: Place[] = []
    for (const place of waiting) {
      const { lane } = place.request
      const connection = lane.connections < connectionsPerLane ? take() : undefined
      if (connection === undefined) {
        left.push(place)
        continue
      }
      lane.connections += 1
      connection.lane = lane
      place.connection = connection
      connection.send(place.request, place.handler)
    }
    waiting = left
  }

  /** Returns a free or a new connection; undefined when all are in use. */
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
      // The most recently used connections are on top.
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
