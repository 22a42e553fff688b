import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from './client-address.ts'

export interface ConnectionLimits {
  readonly connectionsPerAddress: number
  readonly connectionsMax: number
}

/**
 * Caps open connections, in all and per peer address; what is above is closed
 * without an answer. The peer counts, not forwarding headers: whoever opens
 * the sockets holds them. Configured proxies are exempt from the cap per address.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
): void {
  server.maxConnections = limits.connectionsMax
  // A worker would pass them on to the others, and with all of them full they would go round without end. (Missing in the types.)
  Object.assign(server, { dropMaxConnection: true })
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined) {
      socket.destroy()
      return
    }
    if (isProxy(plainAddress(address))) return
    const client = networkOf(address)
    const count = (open.get(client) ?? 0) + 1
    if (count > limits.connectionsPerAddress) {
      socket.destroy()
      return
    }
    open.set(client, count)
    socket.on('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
  })
}
