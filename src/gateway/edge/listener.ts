import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import httpProxy from '@fastify/http-proxy'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { methods } from '../../catalogue/catalogue.ts'
import { type ConnectionLimits, limitConnections } from '../../platform/http/connection-limits.ts'
import { endGently } from '../../platform/http/end-gently.ts'
import { connectionEvent, createHttpServer } from '../../platform/http/http-server.ts'
import { servePlainRequests } from '../../platform/http/plain/plain-connections.ts'
import type { RefuseSocket } from '../../platform/http/refuse-socket.ts'
import type { ListenerTls } from '../../platform/http/tls.ts'
import { createUnreadableHandler } from '../../platform/http/unreadable.ts'
import { shortenTurn } from '../upstream/turn-share.ts'
import { afterOwed } from './answer/after-owed.ts'
import {
  type AnswerableResponse,
  type ArrivedRequest,
  type Call,
  type CallConnection,
  CallResponse,
  type GrantedCall,
} from './call.ts'
import { createRoad, type Forward } from './forward/road.ts'
import { CallRequest } from './request/call-request.ts'
import { plainCall } from './request/plain-call.ts'
import type { ReceiveCall } from './request/receive-call.ts'
import type { RunCall } from './run-call.ts'

export interface ListenerOptions {
  readonly receive: ReceiveCall
  readonly calls: RunCall
  readonly forward: Forward
  /** Refuses a connection whose client sent nothing that could be read. */
  readonly refuseSocket: RefuseSocket
  readonly connectionLimits: ConnectionLimits
  readonly isProxy: (address: string) => boolean
  /** Undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  readonly backendUrl: string
  /** Milliseconds that a backend has for a call. */
  readonly callMsMax: number
}

const requestsPerSocketMax = 1_000

/**
 * Builds the public listener: turns what arrives on a connection into calls,
 * and runs them. Fastify routes only the constant path "/". The catalogue alone
 * decides what a path means; neither Fastify nor http-proxy ever processes a
 * client's target.
 */
export async function createListener(options: ListenerOptions): Promise<FastifyInstance> {
  const { receive, calls, forward, refuseSocket } = options
  const connections = new WeakMap<object, CallConnection>()
  const latest = (socket: object): Call | undefined => connections.get(socket)?.latest

  function connectionOf(socket: object): CallConnection {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const made = { calls: 0, latest: undefined }
    connections.set(socket, made)
    return made
  }

  function onRequest(throughProxy: RequestListener) {
    const road = createRoad(forward, throughProxy)
    return (request: ArrivedRequest, response: AnswerableResponse): void => {
      const connection = connectionOf(request.socket)
      const { latest: before } = connection
      // RFC 9112, 9.6: ignore what follows the last request of a connection.
      if (before?.response.shouldKeepAlive === false || !request.socket.writable) return
      if (before?.isOver === false && before.request.httpVersion === '1.0') {
        // HTTP/1.0 has no pipelining, and whether its connection stays open is known only when the response is written.
        before.response.shouldKeepAlive = false
        before.response.once('finish', () => request.socket.destroySoon())
        return
      }
      const call = receive(request, response, connection)
      if (connection.calls >= requestsPerSocketMax) response.shouldKeepAlive = false
      calls.run(call, road)
    }
  }

  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createNodeServer(options, onRequest(handle)),
    clientErrorHandler: createUnreadableHandler({
      latest,
      refuseSocket,
    }),
  })
  limitConnections(app.server, options.connectionLimits, options.isProxy)
  app.server.on('connection', shortenTurn)
  // Node would answer both itself: the first with a bare 417, the second with 100 before any check.
  for (const event of ['checkExpectation', 'checkContinue']) {
    app.server.on(event, (request, response) => {
      // With this, Node closes the connection after an answer before which it sent no 100 Continue, and decides it
      // only when it writes that answer: by then, later requests of a pipeline have been forwarded, whose answers it
      // throws away (RFC 9112, 9.6). Here, a refusal decides it. (Missing in the types.)
      Object.assign(response, { _expect_continue: false })
      app.server.emit('request', request, response)
    })
  }
  app.server.on(connectionEvent(app.server), (socket: Socket) => {
    // Node's server calls this after the last response. Its own version closes at once, even while the client still
    // sends.
    socket.destroySoon = () => endGently(socket)
  })
  // Without a listener Node closes the connection without a response.
  app.server.on('connect', ({ socket }, stream) => {
    // Node removes its own listeners when it hands over the connection, and gives a body its own stream.
    // Without these, a client that resets the connection would end the process.
    for (const side of new Set([socket, stream])) side.on('error', () => socket.destroy())
    const owed = latest(socket)
    if (owed === undefined) refuseSocket('NOT_IMPLEMENTED', socket)
    else afterOwed(owed, socket, () => refuseSocket('NOT_IMPLEMENTED', socket))
  })

  // Requests with methods that Fastify does not route end here, after the checks, which refuse all such methods.
  app.setNotFoundHandler((request) => {
    throw new Error(`no check refused the method ${request.method}`)
  })
  app.setErrorHandler((error, _request, reply) => {
    reply.hijack()
    calls.failed(grantedCall(reply), error)
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
      const call = grantedCall(reply)
      reply.hijack()
      try {
        forward(call)
      } catch (error) {
        calls.failed(call, error)
      }
    },
  })
  return app
}

function grantedCall({ raw }: FastifyReply): GrantedCall {
  if (raw instanceof CallResponse && raw.granted !== undefined) return raw.granted
  throw new Error('a request reached the proxy without a grant')
}

function createNodeServer(
  { tls, callMsMax }: Pick<ListenerOptions, 'tls' | 'callMsMax'>,
  listener: (request: ArrivedRequest, response: AnswerableResponse) => void,
): Server {
  const server = createHttpServer(
    {
      tls,
      // In both directions, even for a client that does not read its responses; longer than any call may take.
      idleMs: Math.max(30_000, callMsMax + 5_000),
      IncomingMessage: CallRequest,
      ServerResponse: CallResponse,
      // The gateway renders all errors itself, including a missing Host.
      requireHostHeader: false,
      // A request without a body needs no stream events: this saves a sixth of an admitted call.
      optimizeEmptyRequests: true,
      keepAliveTimeout: 65_000,
    },
    listener,
  )
  servePlainRequests(server, plainCall)
  // A client that closes its side still gets its responses. (Missing in the types.)
  return Object.assign(server, { httpAllowHalfOpen: true })
}
