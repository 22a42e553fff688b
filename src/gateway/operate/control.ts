import { type FastifyInstance, fastify } from 'fastify'
import { readWindowLength } from '../../catalogue/window-length.ts'
import type { BucketState, BucketWindow, Counter } from '../counters/counter.ts'

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
  app.post<{ Body: { buckets: BucketWindow[] } }>(
    '/counters/peek',
    { schema: { body: bucketsSchema } },
    async (request): Promise<{ states: readonly BucketState[] }> => ({
      states: await counter.peek(knownBuckets(request.body.buckets)),
    }),
  )
  app.post<{ Body: { buckets: BucketWindow[] } }>(
    '/counters/reset',
    { schema: { body: bucketsSchema } },
    async (request, reply) => {
      for (const bucket of knownBuckets(request.body.buckets)) await counter.reset(bucket)
      return reply.code(204).send()
    },
  )
  return app
}

/** The command may run on a system with newer time zones than this process. */
class WindowLengthUnknown extends Error {
  readonly statusCode = 400

  constructor({ windowLength }: BucketWindow) {
    super(`"${windowLength}" is not a window length, or this process does not know its time zone`)
    this.name = 'WindowLengthUnknown'
  }
}

function knownBuckets(buckets: readonly BucketWindow[]): readonly BucketWindow[] {
  const unknown = buckets.find(({ windowLength }) => !readWindowLength(String(windowLength)))
  if (unknown !== undefined) throw new WindowLengthUnknown(unknown)
  return buckets
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
        required: ['bucket', 'windowLength'],
        additionalProperties: false,
        properties: {
          bucket: { type: 'string', maxLength: 512 },
          windowLength: {
            anyOf: [
              { type: 'integer', minimum: 1 },
              { type: 'string', pattern: '^P1[DM]@', maxLength: 128 },
            ],
          },
        },
      },
    },
  },
} as const
