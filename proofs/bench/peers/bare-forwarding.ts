// Forwarding and nothing around it, as the gateway did it before it had its own client: a handler of
// @fastify/http-proxy that dispatches over undici's pool and streams into the raw response.
import httpProxy from '@fastify/http-proxy'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { type Dispatcher, Pool } from 'undici'

const backendUrl = process.env['BACKEND_URL'] ?? ''
const pool = new Pool(backendUrl, {
  connections: 256,
  pipelining: 1,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  headersTimeout: 10_000,
  bodyTimeout: 10_000,
  connect: { timeout: 2_000, rejectUnauthorized: true },
})

const hopByHop = new Set(['connection', 'keep-alive', 'host', 'transfer-encoding', 'upgrade'])

function forwardedHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '')
  }
  return headers
}

function exchange({ raw }: FastifyReply): Dispatcher.DispatchHandler {
  return {
    onConnect: () => undefined,
    onHeaders(statusCode: number, rawHeaders: Buffer[], resume: () => void) {
      const headers: string[] = []
      for (let index = 0; index < rawHeaders.length; index += 2) {
        const name = rawHeaders[index]?.toString('latin1') ?? ''
        if (!hopByHop.has(name.toLowerCase())) {
          headers.push(name, rawHeaders[index + 1]?.toString('latin1') ?? '')
        }
      }
      raw.writeHead(statusCode, headers)
      raw.on('drain', resume)
      return true
    },
    onData: (chunk: Buffer) => raw.write(chunk),
    onComplete: () => void raw.end(),
    onError: () => void raw.destroy(),
  }
}

const app = fastify({
  logger: false,
  exposeHeadRoutes: false,
  forceCloseConnections: 'idle',
  keepAliveTimeout: 65_000,
  maxRequestsPerSocket: 1_000,
})
await app.register(httpProxy, {
  upstream: backendUrl,
  websocket: false,
  undici: pool,
  httpMethods: ['GET', 'POST'],
  handler(request: FastifyRequest, reply: FastifyReply) {
    reply.hijack()
    const headers = forwardedHeaders(request.raw.rawHeaders)
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const body = method === 'POST' ? request.raw : null
    pool.dispatch({ path: request.url, method, headers, body }, exchange(reply))
  },
})
process.stdout.write(`ready ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
