import type { Socket } from 'node:net'
import type { Call } from '../call.ts'

/**
 * Runs `then` when all pending responses of a connection have been sent. For
 * connections that Node's server has handed over (CONNECT): this does what Node
 * did for those responses.
 *
 * @param latest the newest call of the connection
 */
export function afterOwed(latest: Call, socket: Socket, then: () => void): void {
  const owed: Call[] = []
  for (let call: Call | undefined = latest; call !== undefined; call = call.before) {
    if (!call.isOver) owed.push(call)
  }
  // Discards data after CONNECT: the gateway does not tunnel.
  socket.resume()
  if (owed.length === 0) {
    then()
    return
  }
  socket.on('drain', () => {
    for (const { response } of owed) if (response.socket !== null) response.emit('drain')
  })
  socket.on('close', () => {
    for (const { response } of owed) response.destroy()
  })
  latest.response.on('close', then)
}
