import type { Socket } from 'node:net'

/**
 * Resets a connection. If the socket is already ending, destroys it instead: Node rejects the reset (EINVAL), leaks the
 * descriptor, and the process spins instead of exiting.
 */
export function resetConnection(socket: Socket): void {
  if (isEnding(socket)) socket.destroy()
  else socket.resetAndDestroy()
}

/** Whether the end of a socket was written and has not left yet. */
export function isEnding({ writableEnded, writableFinished }: Socket): boolean {
  return writableEnded && !writableFinished
}
