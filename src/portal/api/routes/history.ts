import { Type } from 'typebox'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { historyCsv } from '../history-csv.ts'
import { historyRange, stepsOf } from '../history-range.ts'
import { ApplicationParams, ownApplication } from '../own-application.ts'
import { History, HistoryQuery } from '../schemas/usage.ts'
import { noCalls, sumOf, usageAnswer } from '../usage-answer.ts'

/** How many calls an application made. Needs a session. */
export function registerHistory(
  app: PortalApp,
  { stores, now }: Needs<'now', 'applications' | 'usage'>,
): void {
  app.get(
    '/api/applications/:id/usage/history',
    {
      schema: {
        operationId: 'getUsageHistory',
        summary:
          'Read call totals by minute (for 48 hours), hour (60 days) or day (400 days), a few seconds behind',
        params: ApplicationParams,
        querystring: HistoryQuery,
        response: { 200: History },
      },
    },
    async (request): Promise<History> => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const range = historyRange(request.query, now())
      const asked = { ...range, applicationId, operation: request.query.operation }
      const steps = await stores.usage.bySteps(asked)
      const found = new Map(steps.map(({ at, ...sums }) => [at.getTime(), usageAnswer(sums)]))
      const operations = await stores.usage.byOperations(asked)
      return {
        from: range.from.toISOString(),
        to: range.to.toISOString(),
        step: range.step,
        total: usageAnswer(sumOf(steps)),
        items: stepsOf(range).map((at) => ({
          at: at.toISOString(),
          ...(found.get(at.getTime()) ?? noCalls),
        })),
        operations: operations.map(({ api, version, operation, ...sums }) => ({
          api,
          version,
          operation,
          ...usageAnswer(sums),
        })),
      }
    },
  )

  app.get(
    '/api/applications/:id/usage/history.csv',
    {
      schema: {
        operationId: 'getUsageHistoryFile',
        summary: 'Download call totals as CSV: one row for each step and operation with calls',
        params: ApplicationParams,
        querystring: HistoryQuery,
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const range = historyRange(request.query, now())
      const rows = await stores.usage.byStepsAndOperations({
        ...range,
        applicationId,
        operation: request.query.operation,
      })
      const [day = ''] = range.from.toISOString().split('T')
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="usage-${day}-by-${range.step}.csv"`)
        .send(historyCsv(rows))
    },
  )
}
