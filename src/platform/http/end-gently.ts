import type { Duplex } from 'node:stream'

/** Milliseconds that a client has to close its side. */
const lingerMs = 1_000

/**
 * Closes this side of a connection after pending writes, and keeps reading for
 * a moment. An immediate close would reset the connection while the client
 * still sends, and the last response would be lost.
 */
export function endGently(socket: Duplex): void {
  discardRest(socket)
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  })
}

/**
 * Discards what the client still sends. Node's parser would parse it and, once
 * it has rejected octets, report each further read as another error.
 */
export function discardRest(socket: Duplex): void {
  socket.removeAllListeners('data').on('data', discard).resume()
}

function discard(): void {}
