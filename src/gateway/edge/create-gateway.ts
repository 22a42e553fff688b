import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import httpProxy from '@fastify/http-proxy'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { methods } from '../../catalogue/catalogue.ts'
import type { ClientAddress, ClientScheme } from '../../platform/client-address.ts'
import { type ConnectionLimits, limitConnections } from '../../platform/connection-limits.ts'
import { createRefuseSocket } from '../../platform/refuse-socket.ts'
import { createUnreadableHandler } from '../../platform/unreadable.ts'
import { Call } from './call.ts'
import { CallRequest } from './call-request.ts'
import { type NamedCheck, runChecks } from './check.ts'
import { createPortalOrigin } from './cross-origin.ts'
import type { Forwarder } from './forward.ts'
import type { Observer } from './observe.ts'
import type { Published } from './published.ts'
import type { Refuse } from './refuse.ts'
import { keepAliveMs, requestsPerSocketMax, WrittenResponse } from './written-response.ts'

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

/** The answer to a call knows the call: what ends it need not look for it. */
class CallResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends WrittenResponse<Request> {
  call: Call | undefined = undefined
}

/**
 * Builds the public listener: the checks of the table stand in front of
 * Fastify, one forwarder sends on what they admit. Not listening yet.
 *
 * Calls with a body come to it through Fastify and http-proxy, the others at
 * once: on their way there is nothing left to decide, and it costs as much as
 * all checks. Either way Fastify's own routing sees the constant path "/": what
 * a path means is decided by the catalogue alone, and neither Fastify's nor
 * http-proxy's path handling ever touches a client's target.
 */
export async function createGateway(options: GatewayOptions): Promise<FastifyInstance> {
  const { checks, forwarder, refuse, observer } = options
  /** The newest call of a connection. */
  const latest = new WeakMap<object, Call>()
  const begin = createBegin(options)

  const refuseSocket = createRefuseSocket({
    portalUrl: options.portalUrl,
    randomUUID: options.randomUUID,
    onRefused: (code) => observer.refusedUnparsed(code),
  })

  /** Ends the call, with an answer or without one. */
  function closed(this: CallResponse): void {
    const { call } = this
    if (call === undefined) return
    call.exchange?.clientClosed()
    observer.ended(call)
  }

  /** Ends the call, whatever is wrong: nothing stands around this that could. */
  function failed(call: Call, error: unknown): void {
    observer.failed(call, error)
    if (call.response.headersSent) return
    try {
      refuse(call, { code: 'INTERNAL_ERROR' })
    } catch (cause) {
      observer.failed(call, cause)
      call.response.destroy()
    }
  }

  function forward(call: Call): void {
    // Holds even if the table of checks lost its limit: what was not granted is not forwarded.
    if (!call.grant.admitted && call.plan.mode === 'enforce') {
      throw new Error('a call reached the forwarder without a grant')
    }
    // The client left while its call was checked: nobody would end the exchange, and nobody waits for its answer.
    if (call.request.socket.destroyed) return
    forwarder.forward(call)
  }

  /** What a request meets: the checks, and then the forwarder. */
  function answer(proxied: RequestListener) {
    return (request: CallRequest, response: CallResponse): void => {
      const call = begin(request, response)
      response.call = call
      latest.set(request.socket, call)
      response.on('close', closed)
      runChecks(checks, call, {
        admitted() {
          if (!call.hasBody) forward(call)
          else {
            request.url = '/'
            proxied(request, response)
          }
        },
        refused: (refusal) => refuse(call, refusal),
        answered({ status, headers }) {
          call.isPreflight = true
          response.writeHead(status, [...headers])
          response.end()
        },
        failed: (error) => failed(call, error),
      })
    }
  }

  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createListener(answer(handle)),
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

  // Methods Fastify does not route end here, after the checks; those refuse every one of them.
  app.setNotFoundHandler((request) => {
    throw new Error(`no check refused the method ${request.method}`)
  })
  app.setErrorHandler((error, _request, reply) => {
    reply.hijack()
    failed(callOf(reply), error)
  })

  // Its own parsers would read the body that is to be sent on.
  app.removeAllContentTypeParsers()
  await app.register(httpProxy, {
    upstream: options.backendUrl,
    websocket: false,
    // It makes a pool of its own, which opens no connection: the handler does not use it.
    routes: ['/'],
    httpMethods: [...methods],
    handler: (_request: FastifyRequest, reply: FastifyReply) => {
      const call = callOf(reply)
      reply.hijack()
      try {
        forward(call)
      } catch (error) {
        failed(call, error)
      }
    },
  })
  return app
}

function callOf({ raw }: FastifyReply): Call {
  if (raw instanceof CallResponse && raw.call !== undefined) return raw.call
  throw new Error('a request reached the proxy without its checks')
}

function createListener(listener: (request: CallRequest, response: CallResponse) => void) {
  const server = createServer(
    {
      IncomingMessage: CallRequest,
      ServerResponse: CallResponse,
      maxHeaderSize: 16_384,
      // Ours is the one renderer, also for a missing Host.
      requireHostHeader: false,
      // A request without a body needs no stream that ends: measured a sixth of an admitted call.
      optimizeEmptyRequests: true,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
    },
    listener,
  )
  server.maxRequestsPerSocket = requestsPerSocketMax
  // Nothing read and nothing taken for so long, a client that does not read its answers included; longer than any call may take.
  return server.setTimeout(30_000)
}

/** Makes the call of a request. */
function createBegin(options: GatewayOptions) {
  const portalOriginOf = createPortalOrigin(options.portalUrl)
  return (request: CallRequest, response: CallResponse): Call => {
    const { fields } = request
    const { requestId } = fields
    return new Call({
      request,
      response,
      fields,
      published: options.published(),
      target: request.url ?? '',
      requestId:
        requestId !== undefined && uuidPattern.test(requestId) ? requestId : options.randomUUID(),
      address: options.clientAddress(request),
      scheme: options.clientScheme(request),
      portalOrigin: portalOriginOf(fields.origin),
      startedAt: options.monotonic(),
    })
  }
}
