// What people build by hand: @fastify/http-proxy behind a key look-up and @fastify/rate-limit on Redis, hourly for each
// application and route. Keys are known for 30 s, as in the other peers.
import httpProxy from '@fastify/http-proxy'
import rateLimit from '@fastify/rate-limit'
import { type FastifyRequest, fastify } from 'fastify'
import { Redis } from 'ioredis'
import { operations } from '../operations.ts'

const knownMs = 30_000
const redis = new Redis(process.env['REDIS_URL'] ?? '')
const known = new Map<string, { readonly application: string; readonly until: number }>()
const applications = new WeakMap<FastifyRequest, string>()

async function applicationOf(key: string): Promise<string | undefined> {
  const entry = known.get(key)
  if (entry !== undefined && entry.until > Date.now()) return entry.application
  const application = await redis.get(`key:${key}`)
  if (application === null) return undefined
  known.set(key, { application, until: Date.now() + knownMs })
  return application
}

const app = fastify({ routerOptions: { maxParamLength: 512 } })
app.addHook('onRequest', async (request, reply) => {
  const key = request.headers['x-api-key']
  const application = typeof key === 'string' ? await applicationOf(key) : undefined
  if (application === undefined) return reply.code(401).send({ error: 'unknown key' })
  applications.set(request, application)
  return undefined
})
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: 3_600_000,
  redis,
  enableDraftSpec: true,
  keyGenerator: (request) => `${applications.get(request)}:${request.routeOptions.url}`,
})
await app.register(httpProxy, {
  upstream: process.env['BACKEND_URL'] ?? '',
  httpMethods: ['GET'],
  routes: operations.map(({ start, hasParameter }) => (hasParameter ? `${start}:id` : start)),
})
process.stdout.write(`ready ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
