import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CompleteError } from '../log/complete-error.ts'
import { codeOf } from '../log/error-code.ts'
import type { ListenAddress } from '../settings/settings-reader.ts'
import { isSecure } from './http-server.ts'
import { type ServedConnections, trackConnections } from './served-connections.ts'

/** A listener could not bind its address. */
export class ListenError extends CompleteError {
  constructor(setting: string, address: ListenAddress, cause: unknown) {
    super(bindFailure(setting, address, cause), { cause })
    this.name = 'ListenError'
  }
}

/** Why a listener cannot bind its address, in one line that names its settings. */
export function bindFailure(setting: string, address: ListenAddress, cause: unknown): string {
  const code = String(codeOf(cause) ?? 'unknown error')
  return `${setting}_HOST/${setting}_PORT: cannot listen on ${address.host}:${address.port}: ${bindReasons[code] ?? code}`
}

/** By error code of the system. */
const bindReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program, or another listener of Tollgate, uses the port',
  ENOTSUP: 'this system cannot share a port; leave GATEWAY_REUSE_PORT off',
  EACCES: 'this user may not bind the port',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
  ENOTFOUND: 'the host name is unknown',
}

/**
 * Connections that wait to be accepted; the system may allow fewer (on Linux
 * `net.core.somaxconn`). With the 511 of Node, a few hundred callers that
 * connect at the same moment cost every new caller a second or more, until its
 * system repeats the handshake.
 */
const backlog = 4_096

export interface ListenOptions {
  /** Whether the process is about to stop but still serves. (Default: it is not) */
  readonly isEnding?: () => boolean
  /** See {@link trackConnections}. */
  readonly longestCallMs?: number
  /** Whether other processes of this user may bind the same port; the system divides the connections. (Default: false) */
  readonly isShared?: boolean
}

/**
 * Binds a listener.
 *
 * While `isEnding`, connections move elsewhere, as {@link trackConnections} says.
 *
 * The host `localhost` is 127.0.0.1 only, so that each listener is one server.
 *
 * @param app its server must have TLS if `address` has it
 * @param setting prefix of the listener's variables, for the error
 * @returns the origin; the hosts 0.0.0.0 and :: become 127.0.0.1
 * @throws {ListenError}
 */
export async function listen(
  app: FastifyInstance,
  setting: string,
  address: ListenAddress,
  { isEnding = () => false, longestCallMs, isShared = false }: ListenOptions = {},
): Promise<string> {
  if (isSecure(app.server) !== (address.tls !== undefined)) {
    throw new Error(`${setting}: the server and the address differ in TLS`)
  }
  connections.set(app.server, trackConnections(app.server, isEnding, longestCallMs))
  try {
    const host = boundHost(address.host)
    const bind = { host, port: address.port, backlog, listenTextResolver: () => '' }
    // Node's option, which Fastify passes on and leaves out of its types.
    await app.listen(Object.assign(bind, { reusePort: isShared }))
  } catch (error) {
    throw new ListenError(setting, address, error)
  }
  const bound = app.server.address()
  const port = bound !== null && typeof bound !== 'string' ? bound.port : address.port
  return origin({ ...address, port })
}

/**
 * The host to bind for a listener. Fastify would open a second server for
 * `localhost`, beyond the reach of limits and stops.
 */
export function boundHost(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

/**
 * Closes the listeners of `apps` after their calls were answered, as
 * {@link ServedConnections} says, then runs `close` for the rest.
 */
export async function closeListeners(
  apps: readonly FastifyInstance[],
  close: () => Promise<unknown>,
): Promise<void> {
  await Promise.all(apps.map((app) => connections.get(app.server)?.close()))
  await close()
}

/** By listener, from when it is bound. */
const connections = new WeakMap<Server, ServedConnections>()

/** The origin under which this machine reaches a listener. */
export function origin({ host, port, tls }: ListenAddress): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls === undefined ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}
