import { Type } from 'typebox'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { orNotFound } from '../../portal-error.ts'
import { recordAnswer } from '../../record-answer.ts'
import { OperatedCallPlaces } from '../../schemas/operator.ts'
import { CallRecordList } from '../../schemas/usage.ts'

const requestId = Type.String({ description: 'X-Request-ID of the call' })
const PlacesParams = Type.Object({ requestId })
const RecordsParams = Type.Object({
  id: Type.String({ description: 'of the application' }),
  requestId,
})

/** Single calls of all developers, by the id that a developer quotes. Needs an operator. */
export function registerOperatedCalls(
  app: PortalApp,
  { stores, catalogue, now }: Needs<'catalogue' | 'now', 'calls' | 'directory'>,
): void {
  const { calls, directory } = stores

  app.get(
    '/calls/:requestId',
    {
      schema: {
        operationId: 'findAnyCall',
        summary: 'Find the applications of all developers with a call that had this X-Request-ID',
        params: PlacesParams,
        response: { 200: OperatedCallPlaces },
      },
    },
    async ({ params }) => {
      const ids = await calls.applicationsWithRequestId(params)
      const found = await Promise.all(ids.map((id) => directory.application(id)))
      // One may be deleted meanwhile.
      return { items: found.filter((each) => each !== undefined).map(withInstants) }
    },
  )

  app.get(
    '/applications/:id/calls/:requestId',
    {
      schema: {
        operationId: 'getAnyCallsById',
        summary:
          'Explain the calls of any application with an X-Request-ID; empty if there is no record',
        params: RecordsParams,
        response: { 200: CallRecordList },
      },
    },
    async ({ params }) => {
      const { id: applicationId } = await orNotFound(directory.application(params.id))
      const found = await calls.withRequestId({ applicationId, requestId: params.requestId })
      return { items: found.map((record) => recordAnswer(record, catalogue(), now())) }
    },
  )
}
