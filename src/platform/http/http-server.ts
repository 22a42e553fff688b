// This folder has what all listeners share. This file makes a server with its limits and TLS, `listen.ts` binds it,
// and `served-connections.ts` ends it without cutting off a response. `errors.ts` is the table of every error that
// Tollgate sends, `problem.ts` renders a refusal, and `unreadable.ts` and `refuse-socket.ts` answer what Node's parser
// rejects. `client-address.ts` finds the client behind proxies. Nothing here knows routes, keys or plans.

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { contextOptions, type ListenerTls, serverOptions } from './tls.ts'

/** Options of Node's HTTP server, and what every listener decides. */
export interface HttpServerOptions<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
> extends ServerOptions<Request, Response> {
  /** Undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  /** Milliseconds without data in either direction after which a connection closes. */
  readonly idleMs: number
}

/**
 * What a client may take on any listener: octets of a header block, and
 * milliseconds for its header and for its whole request. Node would allow a
 * minute for the header and look only every 30 s.
 */
const bounds = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
} as const satisfies ServerOptions

/**
 * Creates the HTTP server of a listener, with TLS or without. New connections
 * use the newest credentials; a connection keeps those of its handshake.
 *
 * A server with TLS emits `connection` when it accepts a connection and
 * {@link connectionEvent} after the handshake.
 */
export function createHttpServer<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(
  { tls, idleMs, ...others }: HttpServerOptions<Request, Response>,
  listener: (
    request: InstanceType<Request>,
    response: InstanceType<Response> & { req: InstanceType<Request> },
  ) => void,
): Server {
  const options = { ...bounds, ...others }
  const server =
    tls === undefined ? createServer(options, listener) : createSecureServer(tls, options, listener)
  // Parse boundary: a server of node:https has all members of one of node:http, but another base class.
  return server.setTimeout(idleMs) as Server
}

function createSecureServer<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(
  tls: ListenerTls,
  options: ServerOptions<Request, Response>,
  listener: (
    request: InstanceType<Request>,
    response: InstanceType<Response> & { req: InstanceType<Request> },
  ) => void,
): HttpsServer<Request, Response> {
  const server = createTlsServer({ ...options, ...serverOptions(tls) }, listener)
  // As node:http does: a client that closes its side still gets its responses. Not earlier: one that leaves
  // during its handshake would hold its place until the handshake times out.
  server.on('secureConnection', (socket) => {
    socket.allowHalfOpen = true
  })
  tls.onChange(() => server.setSecureContext(contextOptions(tls)))
  // Node would report a failed handshake as a malformed request, which gets an answer that the client cannot read.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (error, socket) => {
    tls.handshakeFailed(error)
    socket.destroy()
  })
  return server
}

/** The event of a connection that can carry requests. */
export function connectionEvent(server: Server): 'connection' | 'secureConnection' {
  return isSecure(server) ? 'secureConnection' : 'connection'
}

/** Whether the server is one with TLS. */
export function isSecure(server: object): boolean {
  return server instanceof TlsServer
}

/** Whether a connection is encrypted. */
export function isEncrypted(socket: Socket): boolean {
  return 'encrypted' in socket && socket.encrypted === true
}
