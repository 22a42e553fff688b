import type { Socket } from 'node:net'

/**
 * Ends a connection with a reset. While its own end is under way it is only
 * destroyed: Node refuses the reset then (EINVAL) and keeps the descriptor for
 * ever, and a process with such a handle spins instead of ending.
 *
 * @param under the connection below TLS, whose end it does not know
 */
export function resetConnection(socket: Socket, under: Socket = socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else under.resetAndDestroy()
}
