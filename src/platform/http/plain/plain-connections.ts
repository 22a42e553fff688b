// This folder serves the simplest and most frequent requests without Node's HTTP server: a GET without a body that arrives
// whole while its connection is idle. This file takes such requests from connections, `plain-head.ts` reads them, and
// `plain-response.ts` answers. A connection on which anything else arrives is Node's from then on. Node's server costs a
// third of an admitted call (decision 24). Nothing here judges a request: what `plain-head.ts` does not read, Node refuses.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionEvent } from '../http-server.ts'
import { RecurringNames } from '../recurring-names.ts'
import { type PlainHead, readPlainHead } from './plain-head.ts'
import type { PlainResponse, ResponseOwner } from './plain-response.ts'

/** A longer head is for Node's parser, which knows the bound. */
const headOctetsMax = 8_192
/** Time beyond what clients know in which a request may still arrive, as in Node. */
const keepAliveMarginMs = 1_000

/** Makes a request and its response, which the event `request` of the server passes on. */
export type MakeExchange = (
  head: PlainHead,
  owner: ResponseOwner,
) => { readonly request: object; readonly response: PlainResponse }

interface Shared {
  readonly server: Server
  readonly keepAliveLines: string
  readonly exchange: MakeExchange
  /** Makes a connection Node's. */
  readonly handOver: (socket: Socket) => void
  readonly open: Set<PlainConnection>
}

/** Has plain requests of a server read here. Node's listener is the first on its connections. */
export function servePlainRequests(server: Server, exchange: MakeExchange): void {
  const event = connectionEvent(server)
  const [byNode] = server.listeners(event) as ((socket: Socket) => void)[]
  if (byNode === undefined) throw new Error('Node does not listen to connections')
  server.off(event, byNode)
  const open = new Set<PlainConnection>()
  const handOver = (socket: Socket): void => byNode.call(server, socket)
  const keepAliveSeconds = Math.floor(server.keepAliveTimeout / 1_000)
  const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`
  const shared = { server, keepAliveLines, exchange, handOver, open }
  server.prependListener(event, (socket: Socket) => new PlainConnection(socket, shared))
  const { closeIdleConnections, closeAllConnections } = server
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server)
    for (const connection of open) connection.closeIfIdle()
  }
  server.closeAllConnections = () => {
    closeAllConnections.call(server)
    for (const { socket } of open) socket.destroy()
  }
}

class PlainConnection implements ResponseOwner {
  readonly socket: Socket
  readonly #shared: Shared
  readonly #names = new RecurringNames()
  /** Undefined while the connection is idle. */
  #response: PlainResponse | undefined = undefined
  #hasServed = false
  #isEnded = false
  /** Monotonic milliseconds. */
  #idleSince = performance.now()

  constructor(socket: Socket, shared: Shared) {
    this.socket = socket
    this.#shared = shared
    shared.open.add(this)
    for (const [event, listener] of this.#listeners()) socket.on(event, listener)
    socket.setTimeout(shared.server.headersTimeout)
  }

  #listeners() {
    return [
      ['data', this.#read],
      ['end', this.#ended],
      ['error', this.#failed],
      ['close', this.#closed],
      ['drain', this.#drained],
      ['timeout', this.#waited],
    ] as const
  }

  get keepAliveLines(): string {
    return this.#shared.keepAliveLines
  }

  closeIfIdle(): void {
    if (this.#response === undefined) this.socket.destroy()
  }

  sent(): void {
    const isLast = this.#response?.shouldKeepAlive === false || this.#isEnded
    this.#response = undefined
    this.#idleSince = performance.now()
    if (isLast) {
      this.socket.destroySoon()
      return
    }
    if (this.socket.isPaused()) this.socket.resume()
  }

  readonly #read = (octets: Buffer): void => {
    if (this.#response !== undefined) {
      // What follows waits in the socket, with its end.
      this.socket.pause()
      this.socket.unshift(octets)
      return
    }
    const head =
      octets.length <= headOctetsMax
        ? readPlainHead(octets.toString('latin1'), this.#names)
        : undefined
    if (head === undefined) this.#handOver(octets)
    else this.#serve(head)
  }

  #serve(head: PlainHead): void {
    const { server, exchange } = this.#shared
    if (!this.#hasServed) this.socket.setTimeout(server.timeout)
    this.#hasServed = true
    const { request, response } = exchange(head, this)
    this.#response = response
    server.emit('request', request, response)
  }

  #handOver(octets: Buffer): void {
    const { socket } = this
    this.#shared.open.delete(this)
    for (const [event, listener] of this.#listeners()) socket.off(event, listener)
    socket.pause()
    socket.unshift(octets)
    this.#shared.handOver(socket)
    socket.resume()
  }

  /** The client closed its side; a response that is pending still goes out. */
  readonly #ended = (): void => {
    this.#isEnded = true
    if (this.#response === undefined) this.socket.end()
  }

  readonly #failed = (): void => void this.socket.destroy()

  readonly #closed = (): void => {
    this.#shared.open.delete(this)
    this.#response?.cut()
  }

  readonly #drained = (): void => void this.#response?.emit('drain')

  /** Nothing was sent or received for a while. */
  readonly #waited = (): void => {
    const { server } = this.#shared
    if (!this.#hasServed) {
      // As Node reports it.
      this.socket.off('timeout', this.#waited)
      const error = Object.assign(new Error('Request timeout'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT',
      })
      server.emit('clientError', error, this.socket)
      return
    }
    const isKept =
      this.#response === undefined &&
      performance.now() - this.#idleSince < server.keepAliveTimeout + keepAliveMarginMs
    if (isKept) this.socket.setTimeout(server.timeout)
    else this.socket.destroy()
  }
}
