import httpProxy from '@fastify/http-proxy'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { methods } from '../../catalogue/catalogue.ts'
import type { ClientAddress, ClientScheme } from '../../platform/client-address.ts'
import { type ConnectionLimits, limitConnections } from '../../platform/connection-limits.ts'
import type { Refusal } from '../../platform/problem.ts'
import { createRefuseSocket } from '../../platform/refuse-socket.ts'
import { createUnreadableHandler } from '../../platform/unreadable.ts'
import { Call } from './call.ts'
import { type NamedCheck, runChecks } from './check.ts'
import { createPortalOrigin } from './cross-origin.ts'
import type { Forwarder } from './forward.ts'
import type { Observer } from './observe.ts'
import type { Published } from './published.ts'
import type { Refuse } from './refuse.ts'

export interface GatewayOptions {
  /** The catalogue in force; asked once for every call. */
  readonly published: () => Published
  readonly checks: readonly NamedCheck[]
  readonly forwarder: Forwarder
  readonly refuse: Refuse
  readonly observer: Observer
  readonly clientAddress: ClientAddress
  readonly clientScheme: ClientScheme
  readonly connectionLimits: ConnectionLimits
  readonly isProxy: (address: string) => boolean
  readonly backendUrl: string
  readonly portalUrl: () => string
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly randomUUID: () => string
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Builds the public listener: one hook runs the checks of the table, one proxy
 * handler forwards what they admit. Not listening yet.
 *
 * Fastify's own routing sees the constant path "/" (`rewriteUrl`): what a path
 * means is decided by the catalogue alone, and neither Fastify's nor
 * http-proxy's path handling ever touches a client's target.
 */
export async function createGateway(options: GatewayOptions): Promise<FastifyInstance> {
  const { checks, forwarder, refuse, observer } = options
  const calls = new WeakMap<object, Call>()
  /** The newest call of a connection. */
  const latest = new WeakMap<object, Call>()
  const begin = createBegin(options)

  const refuseSocket = createRefuseSocket({
    portalUrl: options.portalUrl,
    randomUUID: options.randomUUID,
    onRefused: (code) => observer.refusedUnparsed(code),
  })

  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    rewriteUrl: () => '/',
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    // Nothing read and nothing taken for so long, a client that does not read its answers included; longer than any call may take.
    connectionTimeout: 30_000,
    maxRequestsPerSocket: 1_000,
    http: {
      maxHeaderSize: 16_384,
      // Ours is the one renderer, also for a missing Host.
      requireHostHeader: false,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
    },
    clientErrorHandler: createUnreadableHandler({
      latest: (socket) => latest.get(socket),
      refuseSocket,
    }),
  })
  limitConnections(app.server, options.connectionLimits, options.isProxy)
  // Node would answer both by itself: the first with a bare 417, the second with 100 before anything is checked.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  app.server.on('checkContinue', (request, response) =>
    app.server.emit('request', request, response),
  )

  // Without a listener Node closes the connection without a word.
  app.server.on('connect', (_request, socket) => refuseSocket('NOT_IMPLEMENTED', socket))

  app.addHook('onRequest', (request, reply, admit) => {
    const call = begin(request, reply)
    latest.set(call.request.socket, call)
    call.response.once('close', () => observer.ended(call))
    const answer = (refusal: Refusal): void => {
      reply.hijack()
      refuse(call, refusal)
    }
    runChecks(checks, call, {
      admitted() {
        calls.set(request.raw, call)
        admit()
      },
      refused: answer,
      answered({ status, headers }) {
        reply.hijack()
        call.isPreflight = true
        call.response.writeHead(status, [...headers])
        call.response.end()
      },
      failed(error) {
        observer.failed(call, error)
        if (!call.response.headersSent) answer({ code: 'INTERNAL_ERROR' })
      },
    })
  })
  // Methods Fastify does not route end here, after the checks; those refuse every one of them.
  app.setNotFoundHandler((request) => {
    throw new Error(`no check refused the method ${request.method}`)
  })
  app.setErrorHandler((error, request, reply) => {
    const call = calls.get(request.raw) ?? begin(request, reply)
    observer.failed(call, error)
    reply.hijack()
    refuse(call, { code: 'INTERNAL_ERROR' })
  })

  await app.register(httpProxy, {
    upstream: options.backendUrl,
    websocket: false,
    // It would open a pool of its own, for nothing; it closes this one with the listener, after the last call.
    undici: forwarder.pool,
    routes: ['/'],
    httpMethods: [...methods],
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const call = calls.get(request.raw)
      if (call === undefined) throw new Error('a request reached the proxy without its checks')
      // Holds even if the table of checks lost its limit: what was not granted is not forwarded.
      if (!call.grant.admitted && call.plan.mode === 'enforce') {
        throw new Error('a call reached the proxy without a grant')
      }
      reply.hijack()
      try {
        forwarder.forward(call)
      } catch (error) {
        observer.failed(call, error)
        refuse(call, { code: 'INTERNAL_ERROR' })
      }
    },
  })
  return app
}

/** Makes the call of a request. */
function createBegin(options: GatewayOptions) {
  const portalOriginOf = createPortalOrigin(options.portalUrl)
  return ({ raw, originalUrl }: FastifyRequest, reply: FastifyReply): Call => {
    const given = raw.headers['x-request-id']
    return new Call({
      request: raw,
      response: reply.raw,
      published: options.published(),
      target: originalUrl,
      requestId:
        typeof given === 'string' && uuidPattern.test(given) ? given : options.randomUUID(),
      address: options.clientAddress(raw),
      scheme: options.clientScheme(raw),
      portalOrigin: portalOriginOf(raw.headers.origin),
      startedAt: options.monotonic(),
    })
  }
}
