import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Something a process needs to serve well, as `/readyz` tells it. */
export interface Probe {
  readonly name: string
  /** Whether it is as it should be now; cheap, asked on every scrape. */
  readonly isReady: () => boolean
  /** Whether the process should get no traffic while it is not. A degraded store is reported without that. */
  readonly isRequired: boolean
}

export interface ManagementOptions {
  /** What `/metrics` shows. */
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>
  readonly probes: readonly Probe[]
  /** Public keys of the identity signer; undefined where this process signs nothing. */
  readonly jwks?: object
}

/**
 * Builds the management listener every process has: `/metrics`, `/livez`,
 * `/readyz` and, on a gateway, `/.well-known/jwks.json`. Never public. Not
 * listening yet.
 *
 * `/livez` depends on nothing: a restart mends no store.
 */
export function createManagement({ metrics, probes, jwks }: ManagementOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => answer(reply, 400, 'bad request'),
  })
  // Fastify's own answers repeat the target, and people paste keys into targets.
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

/** Creates the metrics registry of a process: Node's own metrics and which build runs. */
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
