import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import httpProxy from '@fastify/http-proxy'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { methods } from '../../catalogue/catalogue.ts'
import type { ClientAddress, ClientScheme } from '../../platform/client-address.ts'
import { type ConnectionLimits, limitConnections } from '../../platform/connection-limits.ts'
import { endGently } from '../../platform/end-gently.ts'
import { createRefuseSocket } from '../../platform/refuse-socket.ts'
import { createUnreadableHandler } from '../../platform/unreadable.ts'
import { afterOwed } from './answer/after-owed.ts'
import { Call } from './call.ts'
import { CallRequest } from './request/call-request.ts'
import { type NamedCheck, runChecks } from './check.ts'
import { createPortalOrigin } from './answer/cross-origin.ts'
import type { Forwarder } from './forward/forward.ts'
import type { Observer } from './observer.ts'
import type { Published } from './published.ts'
import type { Refuse } from './answer/refuse.ts'
import { keepAliveMs, requestsPerSocketMax, WrittenResponse } from './answer/written-response.ts'

export interface GatewayOptions {
  /** Returns the current catalogue; called once per call. */
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

/** The response holds its call, so no look-up is needed when it ends. */
class CallResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends WrittenResponse<Request> {
  call: Call | undefined = undefined
}

/**
 * Builds the public listener of the data path. This folder is the edge: a table
 * of checks decides each call (`pipeline.ts`), and one forwarder sends the
 * admitted calls to the backend. Every refusal comes from here in one format.
 *
 * Calls with a body pass through Fastify and http-proxy. Other calls go to the
 * forwarder directly: that route has nothing left to decide and costs as much
 * as all checks. In both cases Fastify routes only the constant path "/". The
 * catalogue alone decides what a path means; neither Fastify nor http-proxy
 * ever processes a client's target.
 */
export async function createGateway(options: GatewayOptions): Promise<FastifyInstance> {
  const { checks, forwarder, refuse, observer } = options
  /** The newest call of each connection. */
  const latest = new WeakMap<object, Call>()
  const begin = createBegin(options)

  const refuseSocket = createRefuseSocket({
    portalUrl: options.portalUrl,
    randomUUID: options.randomUUID,
    onRefused: (code) => observer.refusedUnparsed(code),
  })

  /** The response was sent, or the client disconnected. */
  function closed(this: CallResponse): void {
    const { call } = this
    if (call === undefined) return
    const { isChecked } = call
    call.closed()
    if (isChecked) observer.ended(call)
  }

  /** The checks are done. A call whose client disconnected ends only now, because the counter may have counted it. */
  function checked(call: Call): void {
    if (call.isChecked) return
    call.isChecked = true
    if (call.response.closed) observer.ended(call)
  }

  /** Ends the call whatever failed; no outer handler would. */
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
    // Holds even if the table of checks lacks the limit: a call without a grant is not forwarded.
    if (!call.grant.admitted && call.plan.mode === 'enforce') {
      throw new Error('a call reached the forwarder without a grant')
    }
    // The client disconnected during the checks: no event would end the exchange, and no client waits for the
    // response.
    if (call.request.socket.destroyed) return
    forwarder.forward(call)
  }

  /** Handles a request: first the checks, then the forwarder. */
  function answer(proxied: RequestListener) {
    return (request: CallRequest, response: CallResponse): void => {
      const before = latest.get(request.socket)
      // RFC 9112, 9.6: ignore what follows the last request of a connection.
      if (before?.response.shouldKeepAlive === false || !request.socket.writable) return
      const call = begin(request, response, before)
      if (call.ordinal >= requestsPerSocketMax) response.shouldKeepAlive = false
      response.call = call
      latest.set(request.socket, call)
      response.on('close', closed)
      runChecks(checks, call, {
        admitted() {
          checked(call)
          if (!call.hasBody) forward(call)
          else {
            request.url = '/'
            proxied(request, response)
          }
        },
        left: () => checked(call),
        refused(refusal) {
          refuse(call, refusal)
          checked(call)
        },
        answered({ status, headers }) {
          call.isPreflight = true
          checked(call)
          response.writeHead(status, [...headers])
          response.end()
        },
        failed(error) {
          failed(call, error)
          checked(call)
        },
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
  // Node would answer both itself: the first with a bare 417, the second with 100 before any check.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  app.server.on('checkContinue', (request, response) =>
    app.server.emit('request', request, response),
  )

  app.server.on('connection', (socket: Socket) => {
    // Node's server calls this after the last response. Its own version closes at once, even while the client still
    // sends.
    socket.destroySoon = () => endGently(socket)
  })
  // Without a listener Node closes the connection without a response.
  app.server.on('connect', ({ socket }, stream) => {
    // Node removes its own listeners when it hands over the connection, and gives a body a stream of its own.
    // Without these, a client that resets the connection would end the process.
    for (const side of new Set([socket, stream])) side.on('error', () => socket.destroy())
    const owed = latest.get(socket)
    if (owed === undefined) refuseSocket('NOT_IMPLEMENTED', socket)
    else afterOwed(owed, socket, () => refuseSocket('NOT_IMPLEMENTED', socket))
  })

  // Requests with methods that Fastify does not route end here, after the checks, which refuse all such methods.
  app.setNotFoundHandler((request) => {
    throw new Error(`no check refused the method ${request.method}`)
  })
  app.setErrorHandler((error, _request, reply) => {
    reply.hijack()
    failed(callOf(reply), error)
  })

  // Fastify's parsers would consume the body that the gateway forwards.
  app.removeAllContentTypeParsers()
  await app.register(httpProxy, {
    upstream: options.backendUrl,
    websocket: false,
    // http-proxy creates its own pool, which opens no connection because the handler does not use it.
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
      // The gateway renders all errors itself, including a missing Host.
      requireHostHeader: false,
      // A request without a body needs no stream events: this saves a sixth of an admitted call.
      optimizeEmptyRequests: true,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
    },
    listener,
  )
  // A client that closes its side still gets its responses. (Missing in the types.)
  Object.assign(server, { httpAllowHalfOpen: true })
  // Idle limit in both directions, also for a client that does not read its responses; longer than any call may take.
  return server.setTimeout(30_000)
}

/** Creates the call of a request. */
function createBegin(options: GatewayOptions) {
  const portalOriginOf = createPortalOrigin(options.portalUrl)
  return (request: CallRequest, response: CallResponse, before: Call | undefined): Call => {
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
      before,
    })
  }
}
