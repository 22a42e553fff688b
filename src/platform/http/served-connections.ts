import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { connectionEvent, isSecure } from './http-server.ts'
import { exchangeMs, stopTimes } from './stop-times.ts'

/** Milliseconds in which a client can send its last call after the port has closed. */
const lastCallMs = 1_000

/** A connection, from its acceptance to its end. */
interface Served {
  callsUnderWay: number
  hasServed: boolean
  /** The response to the newest call until it is over, so that an idle connection keeps nothing of its last call. */
  latest: ServerResponse | undefined
  /** Whether the process was already about to stop when the connection opened. */
  readonly isLate: boolean
}

/** The connections of one listener. */
export interface ServedConnections {
  /**
   * Closes the port, then each connection as soon as it owes no response.
   * Serves what was accepted: a connection that opened while `isEnding`, or that
   * has had no call yet, has a second for one more call. Resolves when all
   * connections have ended.
   */
  close(): Promise<void>
}

/**
 * Follows the connections of a server from now on. Node counts a connection
 * that sent nothing or half a request as busy, so this counts calls itself.
 *
 * While `isEnding`, responses ask clients to close the connections that were
 * open before, so that they move elsewhere. Connections that open later are kept:
 * their clients do not notice that the process ends. If each of their calls
 * opened a connection, one would probably be opening when the port closes.
 *
 * @param isEnding whether the process is about to stop but still serves
 * @param longestCallMs milliseconds after which a stop cuts the calls that are left
 */
export function trackConnections(
  server: Server,
  isEnding: () => boolean,
  longestCallMs = stopTimes(exchangeMs).longestCallMs,
): ServedConnections {
  const open = new Map<Socket, Served>()
  const handshakes = isSecure(server) ? trackHandshakes(server) : undefined
  let hasClosed = false
  let isLastCallOver = false

  server.on(connectionEvent(server), (socket: Socket) => {
    const isLate = isEnding()
    open.set(socket, { callsUnderWay: 0, hasServed: false, latest: undefined, isLate })
    socket.once('close', () => open.delete(socket))
  })
  // One function for all responses: a closure for each would cost a tenth of a refused call.
  function answered(this: ServerResponse): void {
    const { socket } = this.req
    const served = open.get(socket)
    if (served === undefined) return
    served.callsUnderWay -= 1
    if (served.latest === this) served.latest = undefined
    if (hasClosed) setImmediate(endIdle, socket)
  }
  server.prependListener('request', ({ socket }, response) => {
    const served = open.get(socket)
    if (served === undefined) return
    if (hasClosed || (isEnding() && !served.isLate)) response.shouldKeepAlive = false
    served.callsUnderWay += 1
    served.hasServed = true
    served.latest = response
    response.on('close', answered)
  })

  function endIdle(socket: Socket): void {
    const served = open.get(socket)
    if (served?.callsUnderWay !== 0 || !socket.writable) return
    const hasTime = served.isLate || !served.hasServed
    if (isLastCallOver || !hasTime) socket.destroySoon()
  }

  /** By the next turn, Node has read all calls that have arrived. */
  function endAllIdle(): void {
    setImmediate(() => {
      for (const socket of open.keys()) endIdle(socket)
    })
  }

  return {
    async close() {
      await noArrival(server)
      // Node's HTTP server would first destroy idle connections, even those on which a call is arriving.
      const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve))
      hasClosed = true
      for (const { latest } of open.values()) {
        // Only the newest: a client ignores what follows a response that closes the connection.
        if (latest !== undefined && !latest.headersSent) latest.shouldKeepAlive = false
      }
      endAllIdle()
      const lastCall = setTimeout(() => {
        isLastCallOver = true
        handshakes?.end()
        endAllIdle()
      }, lastCallMs)
      const deadline = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy()
      }, longestCallMs)
      await closed
      clearTimeout(lastCall)
      clearTimeout(deadline)
    },
  }
}

/**
 * Follows connections from their acceptance to the end of their handshake. Node
 * emits two sockets for a connection with TLS and connects them only in private
 * members, so the two ends of the connection identify it.
 */
function trackHandshakes(server: Server): { end(): void } {
  const pending = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const name = endsOf(socket)
    pending.set(name, socket)
    socket.once('close', () => {
      if (pending.get(name) === socket) pending.delete(name)
    })
  })
  server.on('secureConnection', (socket: Socket) => void pending.delete(endsOf(socket)))
  return {
    end() {
      for (const socket of pending.values()) socket.destroy()
    },
  }
}

function endsOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}

/** Milliseconds of a turn of the event loop in which nothing was to do; it usually takes two microseconds. */
const quietMs = 0.05

/** Maximum milliseconds to wait for such a turn. */
const arrivalMsMax = 1_000

/**
 * Waits for a moment when no connection waits to be accepted: the system resets
 * those when the port closes. Node accepts one connection in each turn, so a
 * short turn without a connection shows that the queue is empty.
 */
function noArrival(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const giveUpAt = performance.now() + arrivalMsMax
    let lookedAt = 0
    let hasArrived = true
    function arrived(): void {
      hasArrived = true
    }
    function look(): void {
      const at = performance.now()
      if ((!hasArrived && at - lookedAt < quietMs) || at > giveUpAt) {
        server.off('connection', arrived)
        resolve()
        return
      }
      hasArrived = false
      lookedAt = at
      setImmediate(look)
    }
    server.on('connection', arrived)
    setImmediate(look)
  })
}
