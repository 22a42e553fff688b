import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { longestCallMs } from './stop-times.ts'

/** Milliseconds in which a client can send its first call after the port has closed. */
const firstCallMs = 1_000

/** A connection, from its acceptance to its end. */
interface Served {
  callsUnderWay: number
  /** The response to the newest call; undefined before the first. */
  latest: ServerResponse | undefined
}

/** The connections of one listener. */
export interface ServedConnections {
  /**
   * Closes the port, then each connection as soon as it owes no response.
   * Serves what was accepted: a client that has sent nothing yet has a second
   * for its first call. Resolves when all connections have ended.
   */
  close(): Promise<void>
}

/**
 * Follows the connections of a server from now on. Node counts a connection
 * that sent nothing or half a request as busy, so this counts calls itself.
 *
 * @param isEnding whether responses must ask their clients to close the connection
 */
export function trackConnections(server: Server, isEnding: () => boolean): ServedConnections {
  const open = new Map<Socket, Served>()
  let isClosing = false

  server.on('connection', (socket: Socket) => {
    open.set(socket, { callsUnderWay: 0, latest: undefined })
    socket.once('close', () => open.delete(socket))
  })
  // One function for all responses: a closure for each would cost a tenth of a refused call.
  function answered(this: ServerResponse): void {
    const { socket } = this.req
    const served = open.get(socket)
    if (served === undefined) return
    served.callsUnderWay -= 1
    if (isClosing) setImmediate(endIdle, socket)
  }
  server.prependListener('request', ({ socket }, response) => {
    if (isEnding() || isClosing) response.shouldKeepAlive = false
    const served = open.get(socket)
    if (served === undefined) return
    served.callsUnderWay += 1
    served.latest = response
    response.on('close', answered)
  })

  function endIdle(socket: Socket): void {
    if (open.get(socket)?.callsUnderWay === 0 && socket.writable) socket.destroySoon()
  }

  /** Runs in the turn in which the port has closed. */
  function endAll(): void {
    for (const { latest } of open.values()) {
      // Only the newest: a client ignores what follows a response that says so.
      if (latest !== undefined && !latest.headersSent) latest.shouldKeepAlive = false
    }
    // By then Node has read all calls that had arrived.
    setImmediate(() => {
      for (const [socket, { latest }] of open) if (latest !== undefined) endIdle(socket)
    })
  }

  return {
    async close() {
      isClosing = true
      await noArrival(server)
      // Node's HTTP server would first destroy idle connections, even those on which a call is arriving.
      const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve))
      endAll()
      const firstCall = setTimeout(() => {
        for (const socket of open.keys()) endIdle(socket)
      }, firstCallMs)
      const deadline = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy()
      }, longestCallMs)
      await closed
      clearTimeout(firstCall)
      clearTimeout(deadline)
    },
  }
}

/** Milliseconds of a turn of the event loop in which nothing was to do; it usually takes two microseconds. */
const quietMs = 0.05

/** Maximum milliseconds to wait for such a turn. */
const arrivalMsMax = 500

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
