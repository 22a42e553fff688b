import { Type } from 'typebox'
import type { CallRecord } from '../../../registry/usage/call-records.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { listAnswer, pageOf } from '../list-page.ts'
import { ApplicationParams, ownApplication } from '../own-application.ts'
import { recordAnswer } from '../record-answer.ts'
import { signedIn } from '../request.ts'
import type * as shown from '../schemas/usage.ts'
import { CallPlaces, CallRecordList, CallsQuery } from '../schemas/usage.ts'

const CallParams = Type.Object({
  ...ApplicationParams.properties,
  requestId: Type.String({ description: 'X-Request-ID of the call' }),
})

/** What became of single calls of an application. Needs a session. */
export function registerCalls(
  app: PortalApp,
  { stores, catalogue, now }: Needs<'catalogue' | 'now', 'applications' | 'calls'>,
): void {
  const show = (record: CallRecord): shown.CallRecord => recordAnswer(record, catalogue(), now())

  app.get(
    '/api/applications/:id/calls',
    {
      schema: {
        operationId: 'listCalls',
        summary: 'List the latest calls, newest first, about a second behind',
        params: ApplicationParams,
        querystring: CallsQuery,
        response: { 200: CallRecordList },
      },
    },
    async (request) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const { query } = request
      const found = await stores.calls.list({ ...query, ...pageOf(query), applicationId })
      return listAnswer(query, found, show)
    },
  )

  app.get(
    '/api/calls/:requestId',
    {
      schema: {
        operationId: 'findCall',
        summary: 'Find your applications with a call that had this X-Request-ID',
        params: Type.Object({ requestId: CallParams.properties.requestId }),
        response: { 200: CallPlaces },
      },
    },
    async (request) => {
      const { requestId } = request.params
      const developerId = signedIn(request).id
      return {
        applicationIds: await stores.calls.applicationsWithRequestId({ requestId, developerId }),
      }
    },
  )

  app.get(
    '/api/applications/:id/calls/:requestId',
    {
      schema: {
        operationId: 'getCallsById',
        summary: 'Explain the calls with an X-Request-ID; empty if there is no record',
        params: CallParams,
        response: { 200: CallRecordList },
      },
    },
    async (request) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const { requestId } = request.params
      const found = await stores.calls.withRequestId({ applicationId, requestId })
      return { items: found.map(show) }
    },
  )
}
