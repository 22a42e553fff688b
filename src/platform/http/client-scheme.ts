import { plainAddress } from './client-address.ts'
import { type RawRequest, valuesOf } from './header-values.ts'
import { isEncrypted } from './http-server.ts'

/** Returns how the client reached the edge. */
export type ClientScheme = (request: RawRequest) => 'http' | 'https'

/** The scheme of the connection, or of a configured proxy's `X-Forwarded-Proto`. */
export function createClientScheme(isProxy: (address: string) => boolean): ClientScheme {
  return (request) => {
    const own = isEncrypted(request.socket) ? 'https' : 'http'
    if (!isProxy(plainAddress(request.socket.remoteAddress ?? ''))) return own
    const forwarded = valuesOf(request, 'x-forwarded-proto')
    if (forwarded.length === 0) return own
    return forwarded.length === 1 && forwarded[0] === 'https' ? 'https' : 'http'
  }
}
