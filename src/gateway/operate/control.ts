import { type FastifyInstance, fastify } from 'fastify'
import type { BucketState, Counter, PeekedBucket } from '../counters/counter.ts'

/** Name of the control socket in the data folder. */
export const controlSocketName = 'control.sock'

export interface ControlOptions {
  readonly counter: Pick<Counter, 'peek' | 'reset'>
}

/**
 * Builds the control listener of an embedded process, through which commands
 * reach the counters in its memory. It binds a Unix socket in the data folder
 * (mode 0700). A client that can reach it already has access to all data.
 */
export function createControl({ counter }: ControlOptions): FastifyInstance {
  const app = fastify({ logger: false, exposeHeadRoutes: false, forceCloseConnections: true })
  app.post<{ Body: { buckets: PeekedBucket[] } }>(
    '/counters/peek',
    { schema: { body: bucketsSchema } },
    async (request): Promise<{ states: readonly BucketState[] }> => ({
      states: await counter.peek(request.body.buckets),
    }),
  )
  app.post<{ Body: { buckets: PeekedBucket[] } }>(
    '/counters/reset',
    { schema: { body: bucketsSchema } },
    async (request, reply) => {
      for (const bucket of request.body.buckets) await counter.reset(bucket)
      return reply.code(204).send()
    },
  )
  return app
}

const bucketsSchema = {
  type: 'object',
  required: ['buckets'],
  additionalProperties: false,
  properties: {
    buckets: {
      type: 'array',
      maxItems: 10_000,
      items: {
        type: 'object',
        required: ['bucket', 'windowSeconds'],
        additionalProperties: false,
        properties: {
          bucket: { type: 'string', maxLength: 512 },
          windowSeconds: { type: 'integer', minimum: 1 },
        },
      },
    },
  },
} as const
