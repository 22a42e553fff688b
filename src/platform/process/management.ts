import { createHash, timingSafeEqual } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Gauge, Registry } from 'prom-client'
import { createHttpServer } from '../http/http-server.ts'
import type { ListenerTls } from '../http/tls.ts'
import { joinRoles } from './join-roles.ts'
import { collectNodeMetrics } from './node-metrics.ts'

/** What the process serves, as `/readyz` reports it. */
export interface ShownConfiguration {
  readonly digest: string
  readonly generation: number
  readonly loadedAt: Date
  /** Why the last reload changed nothing. */
  readonly refused: string | undefined
}

/** A dependency of the process, as `/readyz` reports it. */
export interface Probe {
  readonly name: string
  /** Whether the dependency is available now; cheap, called on every scrape. */
  readonly isReady: () => boolean
  /**
   * Whether the process should get no traffic while the dependency is
   * unavailable. If false, the store is only reported as degraded.
   */
  readonly isRequired: boolean
  /** What to say when it is unavailable. */
  readonly problem?: string
}

export interface ManagementOptions {
  /** TLS of the listener; undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  /**
   * Tokens, one of which `/metrics` and `/readyz?verbose` require; read at each request. Undefined: no token is required.
   */
  readonly tokens?: (() => readonly string[]) | undefined
  /** The source of `/metrics`. */
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>
  readonly probes: readonly Probe[]
  /** The active configuration; undefined when this process has none. */
  readonly configuration?: (() => ShownConfiguration) | undefined
  /** The current public keys of the identity signer; undefined when this process does not sign. */
  readonly jwks?: (() => object) | undefined
}

/**
 * Builds the management listener of a process: `/metrics`, `/livez`, `/readyz`
 * and, on a gateway, `/.well-known/jwks.json`. Never public. Must still be
 * bound.
 *
 * `/livez` depends on no store, because a restart would not repair one.
 *
 * A token protects what describes the process. Health without details stays
 * open to probes that cannot send a secret, and the keys are public.
 */
export function createManagement(options: ManagementOptions): FastifyInstance {
  const { tls, tokens, metrics, probes, configuration, jwks } = options
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    serverFactory: (handle) =>
      createHttpServer({ tls, idleMs: 60_000, keepAliveTimeout: 72_000 }, handle),
    frameworkErrors: (_error, _request, reply) => void answer(reply, 400, 'bad request'),
  })
  // Fastify's own responses repeat the target, and people sometimes paste keys there.
  app.setNotFoundHandler((_request, reply) => void answer(reply, 404, 'not found'))

  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
  })

  const isAllowed = createTokenCheck(tokens)

  let reading: Promise<string> | undefined
  /** Requests that arrive together share one reading: each takes milliseconds in which the process does nothing else. */
  function readMetrics(): Promise<string> {
    reading ??= turn().then(() => {
      reading = undefined
      return metrics.metrics()
    })
    return reading
  }

  app.get('/metrics', async (request, reply) => {
    if (!isAllowed(request)) return unauthorised(reply)
    reply.headers({ 'content-type': metrics.contentType, vary: 'accept-encoding' })
    const text = await readMetrics()
    if (!acceptsGzip(request)) return text
    reply.header('content-encoding', 'gzip')
    // Off the thread that serves calls.
    return await compress(text)
  })

  app.get('/livez', async () => ({ status: 'ok' }))

  app.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
    const isVerbose = request.query.verbose !== undefined
    if (isVerbose && !isAllowed(request)) return unauthorised(reply)
    const states = probes.map(({ name, isReady, isRequired, problem }) =>
      isReady() || problem === undefined
        ? { name, isReady: isReady(), isRequired }
        : { name, isReady: false, isRequired, problem },
    )
    const failed = states.filter((state) => !state.isReady)
    const missing = failed.filter((state) => state.isRequired).map(({ name }) => name)
    const checks = isVerbose ? { checks: states, configuration: shown(configuration?.()) } : {}
    if (missing.length > 0) return reply.code(503).send({ status: 'not ready', missing, ...checks })
    return { status: failed.length > 0 ? 'degraded' : 'ok', ...checks }
  })

  if (jwks !== undefined) {
    app.get('/.well-known/jwks.json', async (_request, reply) => {
      reply.header('cache-control', 'max-age=60')
      return jwks()
    })
  }
  return app
}

const compress = promisify(gzip)

/** Prometheus asks for it. A proxy that forbids it writes `gzip;q=0`. */
function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''))
}

function shown(configuration: ShownConfiguration | undefined) {
  if (configuration === undefined) return undefined
  const { digest, generation, loadedAt, refused } = configuration
  return { digest, generation, loadedAt: loadedAt.toISOString(), refused }
}

function answer(reply: FastifyReply, code: number, status: string): FastifyReply {
  return reply.code(code).send({ status })
}

/** RFC 6750, 3. */
function unauthorised(reply: FastifyReply): FastifyReply {
  return answer(
    reply.header('www-authenticate', 'Bearer realm="tollgate management"'),
    401,
    'the token is missing or wrong',
  )
}

/** Compares digests, so that neither content nor length of the token shows in the time. */
function createTokenCheck(
  tokens: ManagementOptions['tokens'],
): (request: FastifyRequest) => boolean {
  if (tokens === undefined) return () => true
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return ({ headers }) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (given === undefined) return false
    const presented = digest(given)
    return tokens().some((token) => timingSafeEqual(presented, digest(token)))
  }
}

export interface MetricsRegistryOptions {
  /** Version of the package. */
  readonly version: string
  /** Commit of the sources; "unknown" if unknown. */
  readonly revision: string
  /** What the process runs. */
  readonly roles: readonly string[]
}

/**
 * Creates the metrics registry of a process, with Node's own metrics and the
 * build. Each series has the label `role`: the role of the process, or its
 * roles, sorted and joined by `+`.
 */
export function createMetricsRegistry(options: MetricsRegistryOptions): Registry {
  const { version, revision, roles } = options
  const registry = new Registry()
  registry.setDefaultLabels({ role: joinRoles(roles) })
  collectNodeMetrics(registry)
  // Sums of others, with a suffix that only counters may have.
  for (const what of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${what}_total`)
  }
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'revision', 'node'],
    registers: [registry],
  }).set({ version, revision, node: process.versions.node }, 1)
  return registry
}
