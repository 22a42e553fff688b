import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** A dependency of the process, as `/readyz` reports it. */
export interface Probe {
  readonly name: string
  /** Whether the dependency is available now; cheap, called on every scrape. */
  readonly isReady: () => boolean
  /** Whether the process should get no traffic while the dependency is unavailable. If false, the store is only reported as degraded. */
  readonly isRequired: boolean
}

export interface ManagementOptions {
  /** The source of `/metrics`. */
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>
  readonly probes: readonly Probe[]
  /** Public keys of the identity signer; undefined when this process does not sign. */
  readonly jwks?: object
}

/**
 * Builds the management listener of a process: `/metrics`, `/livez`, `/readyz`
 * and, on a gateway, `/.well-known/jwks.json`. Never public. Must still be
 * bound.
 *
 * `/livez` depends on no store, because a restart would not repair one.
 */
export function createManagement({ metrics, probes, jwks }: ManagementOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => answer(reply, 400, 'bad request'),
  })
  // Fastify's own responses repeat the target, and people sometimes paste keys there.
  app.setNotFoundHandler((_request, reply) => answer(reply, 404, 'not found'))

  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType)
    return metrics.metrics()
  })

  app.get('/livez', async () => ({ status: 'ok' }))

  app.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
    const states = probes.map(({ name, isReady, isRequired }) => ({
      name,
      isReady: isReady(),
      isRequired,
    }))
    const isReady = states.every((state) => state.isReady || !state.isRequired)
    reply.code(isReady ? 200 : 503)
    const isDegraded = states.some((state) => !state.isReady)
    const status = isReady ? (isDegraded ? 'degraded' : 'ok') : 'not ready'
    return request.query.verbose === undefined ? { status } : { status, checks: states }
  })

  if (jwks !== undefined) {
    app.get('/.well-known/jwks.json', async (_request, reply) => {
      reply.header('cache-control', 'max-age=60')
      return jwks
    })
  }
  return app
}

function answer(reply: FastifyReply, code: number, status: string): void {
  void reply.code(code).send({ status })
}

/** Creates the metrics registry of a process, with Node's own metrics and the build. */
export function createMetricsRegistry(version: string): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version, node: process.versions.node }, 1)
  return registry
}
