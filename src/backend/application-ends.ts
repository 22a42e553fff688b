import type { FastifyInstance } from 'fastify'
import type { Bank } from './bank.ts'
import { type Identity, identityHeader, invalid } from './identity.ts'
import { endApplication } from './processes/end-application.ts'

export interface ApplicationEndsOptions {
  readonly bank: Pick<Bank, 'stores' | 'timeZone'>
  readonly identify: (token: string | undefined) => Promise<Identity>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Stands in the identity in place of an API and its version. No document has this version, so no call carries it. */
const ends = { api: 'tollgate', version: 'applications' } as const

/**
 * Adds the route on which the gateway reports a deleted application
 * (docs/bank.md, Deleted applications). It is not part of the interface, and no
 * call through the gateway reaches it.
 */
export function registerApplicationEnds(
  app: FastifyInstance,
  { bank, identify, now }: ApplicationEndsOptions,
): void {
  app.delete<{ Params: { applicationId: string } }>(
    '/applications/:applicationId',
    { config: { isInternal: true } },
    async (request, reply) => {
      const token = request.headers[identityHeader]
      const identity = await identify(typeof token === 'string' ? token : undefined)
      const { applicationId } = request.params
      if (
        identity.api !== ends.api ||
        identity.version !== ends.version ||
        identity.applicationId !== applicationId
      ) {
        throw invalid()
      }
      const ended = await endApplication(bank, applicationId, now())
      // As bytes: Fastify would add a charset to text, and JSON types have none.
      return reply.type('application/json').send(Buffer.from(JSON.stringify(ended)))
    },
  )
}
