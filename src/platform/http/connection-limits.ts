import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Tally } from '../tally.ts'
import { plainAddress } from './client-address.ts'
import { networkOf } from './client-network.ts'

export interface ConnectionLimits {
  readonly connectionsPerAddress: number
  readonly connectionsMax: number
}

/**
 * Limits open connections, in total and per peer address; further ones are
 * closed without a response. Only the peer counts, not forwarding headers,
 * because the peer holds the socket. Configured proxies are exempt from the
 * limit per address.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
): void {
  server.maxConnections = limits.connectionsMax
  const open = new Tally()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined) {
      socket.destroy()
      return
    }
    if (isProxy(plainAddress(address))) return
    const client = networkOf(address)
    if (open.of(client) >= limits.connectionsPerAddress) {
      socket.destroy()
      return
    }
    open.add(client)
    socket.on('close', () => open.remove(client))
  })
}
