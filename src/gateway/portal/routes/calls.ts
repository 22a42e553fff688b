import { Type } from 'typebox'
import type { CallRecord } from '../../registry/call-records.ts'
import { explainRecord } from '../explain-record.ts'
import { ownApplication } from '../own-application.ts'
import type { PortalApp } from '../portal-app.ts'
import type * as shown from '../schemas/usage.ts'
import { CallRecordList, CallsQuery } from '../schemas/usage.ts'
import type { PortalServices } from '../services.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the application' }) })
const CallParams = Type.Object({
  ...Params.properties,
  requestId: Type.String({ description: 'X-Request-ID of the call' }),
})

const listed = 100

/** What became of single calls of an application. Needs a session. */
export function registerCalls(
  app: PortalApp,
  { stores, now }: Pick<PortalServices, 'stores' | 'now'>,
): void {
  app.get(
    '/api/applications/:id/calls',
    {
      schema: {
        operationId: 'listCalls',
        summary: 'The latest calls, newest first, about a second behind',
        tag: 'Usage',
        params: Params,
        querystring: CallsQuery,
        response: { 200: CallRecordList },
      },
    },
    async (request) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const { keyId, limit } = request.query
      const found = await stores.calls.list({
        applicationId,
        keyId,
        limit: limit === undefined ? listed : Number(limit),
      })
      return { items: found.map((record) => recordAnswer(record, now())) }
    },
  )

  app.get(
    '/api/applications/:id/calls/:requestId',
    {
      schema: {
        operationId: 'getCallsById',
        summary: 'What became of calls with an X-Request-ID; empty when nothing is known of one',
        tag: 'Usage',
        params: CallParams,
        response: { 200: CallRecordList },
      },
    },
    async (request) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const { requestId } = request.params
      const found = await stores.calls.withRequestId({ applicationId, requestId })
      return { items: found.map((record) => recordAnswer(record, now())) }
    },
  )
}

function recordAnswer(record: CallRecord, nowMs: number): shown.CallRecord {
  const { detail: _, keyExpiresAt: __, keyRevokedAt: ___, limit, at, ...plain } = record
  // Without the store nobody knows how many were used.
  const isCounted = limit !== null && limit.resetsAt !== null
  return {
    ...plain,
    at: at.toISOString(),
    limit: limit?.calls ?? null,
    used: isCounted ? limit.calls - limit.remaining : null,
    remaining: isCounted ? limit.remaining : null,
    resetsAt: limit?.resetsAt?.toISOString() ?? null,
    reason: explainRecord(record, nowMs),
  }
}
