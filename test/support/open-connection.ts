import { connect, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { isEnding, resetConnection } from '../../src/platform/http/reset-connection.ts'

/** A connection to a server under test. */
export interface Connection {
  /** Takes octets at once; they leave when the connection stands. */
  readonly socket: Socket
  /** Ends the connection under it with a reset. */
  reset(): void
}

/** Made once: it costs more than a handshake. */
const secureContext = createSecureContext()

/** Opens a connection to an origin on loopback. `https` takes any certificate, and HTTP/1.1 only. */
export function openConnection(url: string): Connection {
  const { protocol, port } = new URL(url)
  const plain = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
  if (protocol === 'http:') return { socket: plain, reset: () => resetConnection(plain) }
  plain.on('error', () => undefined)
  const socket = connectTls({
    socket: plain,
    secureContext,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  return {
    socket,
    reset() {
      // The connection below TLS does not know that its end is under way.
      if (isEnding(socket)) socket.destroy()
      else plain.resetAndDestroy()
    },
  }
}
