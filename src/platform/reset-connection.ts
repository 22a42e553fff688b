import type { Socket } from 'node:net'

/**
 * Ends a connection with a reset. While its own end is under way it is only
 * destroyed: Node refuses the reset then (EINVAL) and keeps the descriptor for
 * ever, and a process with such a handle spins instead of ending.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else socket.resetAndDestroy()
}
