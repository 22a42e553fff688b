// This folder is the gateway's HTTP/1.1 client. Read this file first: the pool gives each request its own connection.
// Then read `connection.ts`, which explains why we have our own client and what it gains, and `answer-parser.ts`,
// which reads a response without copying it, with Node's parser (`llhttp.ts`). The client handles one backend and the
// bytes of one exchange. Calls, keys, limits and refusals belong to `edge/forward/`.

import { createSecureContext } from 'node:tls'
import { type UpstreamCredentials, upstreamOptions } from '../../platform/http/tls.ts'
import type { PoolLoad } from '../../platform/process/pool-load.ts'
import type { Watched } from '../../platform/settings/watched-files.ts'
import { prepareAnswerParser } from './answer-parser.ts'
import {
  type AnswerHandler,
  type Connection,
  type ConnectionMemory,
  openConnection,
  type Resend,
  type UpstreamRequest,
} from './connection.ts'
import { UpstreamError } from './upstream-error.ts'

export interface PoolOptions {
  /** Origin of the backend. */
  readonly url: string
  /** Authorities and client certificate for new connections; undefined: the public authorities, and no certificate. */
  readonly tls?: Watched<UpstreamCredentials> | undefined
  readonly connectionsMax: number
  /** Maximum age at which a connection is reused. */
  readonly connectionMsMax: number
  readonly connectMsMax: number
  /**
   * Idle time after which a connection is not reused: the default when the
   * backend announces no timeout, and the upper bound.
   */
  readonly idleMsMax: number
  readonly idleMsCeiling: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * Keeps connections to the backend, each for one request at a time.
 */
export interface Pool {
  /**
   * Sends a request on a free connection, opens one, or waits. The requests of one
   * {@link ConnectionUse} get another connection only while they have fewer than
   * are unused. A safe request is sent once more, on a new connection, if the
   * backend closed its connection; nothing else is ever sent twice.
   */
  dispatch(request: UpstreamRequest, handler: AnswerHandler): Dispatched
  load(): PoolLoad
  /** Closes connections that are too old or idle for too long. Called periodically. */
  tidy(): void
  /** Resolves when all current requests have ended and all connections are closed. */
  close(): Promise<void>
}

/** A request in the pool, until its handler gets the outcome. */
export interface Dispatched {
  /** Whether it is still waiting for a connection. */
  readonly isWaiting: boolean
  /** See {@link Connection.bodyProgress}. */
  readonly bodyProgress: number
  /** Cancels the request; its handler gets no further calls. */
  abandon(): void
  /** Continues the response, because the handler can take more. */
  resume(): void
}

/** The requests waiting for a connection. */
interface Queue {
  putFirst(queued: QueuedRequest): void
  giveUp(queued: QueuedRequest): void
}

class QueuedRequest implements Dispatched, Resend {
  readonly request: UpstreamRequest
  handler: AnswerHandler
  connection: Connection | undefined = undefined
  /** Whether this is the second and last attempt. */
  isSecond = false
  readonly #queue: Queue

  constructor(request: UpstreamRequest, handler: AnswerHandler, queue: Queue) {
    this.request = request
    this.handler = handler
    this.#queue = queue
  }

  get isWaiting(): boolean {
    return this.connection === undefined
  }

  get bodyProgress(): number {
    return this.connection?.bodyProgress ?? 0
  }

  abandon(): void {
    if (this.connection === undefined) this.#queue.giveUp(this)
    else this.connection.abandon(this.handler)
  }

  unanswered(): void {
    this.connection = undefined
    this.isSecond = true
    this.handler = forSecond(this.handler)
    this.#queue.putFirst(this)
  }

  resume(): void {
    this.connection?.resume(this.handler)
  }
}

/** Handler of a second attempt: if it cannot connect, the first one may still have arrived. */
function forSecond(handler: AnswerHandler): AnswerHandler {
  return {
    onHead: (status, fields) => handler.onHead(status, fields),
    onBody: (octets) => handler.onBody(octets),
    onEnd: () => handler.onEnd(),
    onError(cause) {
      const isUnreachable = cause instanceof UpstreamError && cause.code === 'UNREACHABLE'
      const error = new UpstreamError('ANSWER_CUT', 'the connection was closed', { cause })
      handler.onError(isUnreachable ? error : cause)
    },
  }
}

/**
 * Creates a pool. It reuses the most recently used connection. Requests are
 * first come, first served, except those of a {@link ConnectionUse} that has as
 * many connections as are unused.
 *
 * Requests go out after the event loop has read all sockets, as in undici
 * (GHSA-35p6-xmwp-9g52). So, before it reuses an idle connection, the gateway
 * notices that the backend has closed it or sent unsolicited data.
 */
export function createPool(options: PoolOptions): Pool {
  prepareAnswerParser()
  const { connectionsMax, connectionMsMax, monotonic } = options
  const memory: ConnectionMemory = { tlsSession: undefined, secureContext: undefined }
  const settings = { ...options, origin: new URL(options.url), memory }
  const all = new Set<Connection>()
  const free: Connection[] = []
  let waiting: QueuedRequest[] = []
  let isSending = false
  let closed: PromiseWithResolvers<void> | undefined
  const { tls } = options
  if (tls !== undefined) adopt(tls.current())
  const stopAdopting = tls?.onChange(adopt)

  const owner = {
    released(connection: Connection): void {
      endUse(connection)
      const { openedAt, freeSince, idleMsMax } = connection
      const isOld = freeSince - openedAt > connectionMsMax
      if (isOld || idleMsMax <= 0 || closed !== undefined) connection.retire()
      else free.push(connection)
      sendSoon()
    },
    ended(connection: Connection): void {
      endUse(connection)
      all.delete(connection)
      const at = free.indexOf(connection)
      if (at !== -1) free.splice(at, 1)
      sendSoon()
      closeIfIdle()
    },
  }

  /** A TLS session from before the change would let the next connection skip the new authorities. */
  function adopt(credentials: UpstreamCredentials): void {
    memory.secureContext = createSecureContext(upstreamOptions(credentials))
    memory.tlsSession = undefined
    for (const connection of [...free]) connection.retire()
  }

  function endUse(connection: Connection): void {
    if (connection.use === undefined) return
    connection.use.connections -= 1
    connection.use = undefined
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
    const stillWaiting: QueuedRequest[] = []
    for (const queued of waiting) {
      const { use } = queued.request
      const unused = connectionsMax - all.size + free.length
      const connection = use.connections < unused ? take(queued.isSecond) : undefined
      if (connection === undefined) {
        stillWaiting.push(queued)
        continue
      }
      use.connections += 1
      connection.use = use
      queued.connection = connection
      const mayGoAgain = queued.request.isSafe && !queued.isSecond
      connection.send(queued.request, queued.handler, mayGoAgain ? queued : undefined)
    }
    waiting = stillWaiting
  }

  /** Returns a free or a new connection; undefined when all are in use. */
  function take(isNew: boolean): Connection | undefined {
    // The backend may have closed other connections that were idle as long.
    if (isNew && all.size >= connectionsMax) free[0]?.retire()
    const connection = isNew ? undefined : takeFree()
    if (connection !== undefined || all.size >= connectionsMax) return connection
    const opened = openConnection(settings, owner)
    all.add(opened)
    return opened
  }

  /** Takes the most recently used connection. If it was idle for too long, closes all. */
  function takeFree(): Connection | undefined {
    const connection = free.pop()
    if (connection === undefined) return undefined
    if (monotonic() - connection.freeSince <= connection.idleMsMax) return connection
    // The others were idle even longer.
    for (const each of [connection, ...free]) each.retire()
    return undefined
  }

  const queue: Queue = {
    putFirst(queued) {
      waiting.unshift(queued)
      sendSoon()
    },
    giveUp(queued) {
      waiting = waiting.filter((other) => other !== queued)
      closeIfIdle()
    },
  }

  return {
    dispatch(request, handler) {
      const queued = new QueuedRequest(request, handler, queue)
      waiting.push(queued)
      sendSoon()
      return queued
    },
    load: () => ({
      busy: all.size - free.length,
      idle: free.length,
      waiting: waiting.length,
    }),
    tidy() {
      const at = monotonic()
      // The most recently used connections are on top.
      for (const connection of [...free]) {
        const { openedAt, freeSince, idleMsMax } = connection
        if (at - freeSince > idleMsMax || at - openedAt > connectionMsMax) connection.retire()
      }
    },
    async close() {
      closed ??= Promise.withResolvers()
      stopAdopting?.()
      for (const connection of [...free]) connection.retire()
      closeIfIdle()
      await closed.promise
    },
  }
}
