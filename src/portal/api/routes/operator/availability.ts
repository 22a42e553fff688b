import { Type } from 'typebox'
import {
  type DatedReport,
  readAvailabilityReport,
} from '../../../../registry/availability/read-report.ts'
import { reportColumns } from '../../../../registry/availability/report-columns.ts'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { csvOf } from '../../csv.ts'
import { inputInvalid } from '../../portal-error.ts'
import { AvailabilityAnswer, AvailabilityQuery } from '../../schemas/availability.ts'

/** Availability of the API versions, as reported to the regulator. Needs an operator. */
export function registerAvailability(
  app: PortalApp,
  { catalogue, now, stores }: Needs<'catalogue' | 'now', 'availability'>,
): void {
  async function read({ from, to }: AvailabilityQuery): Promise<DatedReport> {
    try {
      return await readAvailabilityReport({
        availability: stores.availability,
        published: [...catalogue().versions.values()],
        from,
        to,
        timeZone: 'UTC',
        now: now(),
      })
    } catch (error) {
      if (error instanceof RangeError) throw inputInvalid('/from', error.message)
      throw error
    }
  }

  app.get(
    '/availability',
    {
      schema: {
        operationId: 'getAvailability',
        summary:
          'Read uptime, downtime, errors and response times of each API version by day and quarter, and outages',
        querystring: AvailabilityQuery,
        response: { 200: AvailabilityAnswer },
      },
    },
    async ({ query }) => {
      const { from, to, days, quarters, outages } = await read(query)
      return {
        from,
        to,
        days: [...days],
        quarters: [...quarters],
        outages: outages.map((outage) => ({
          api: outage.api,
          version: outage.version,
          from: instant(outage.from),
          until: outage.until === null ? null : instant(outage.until),
          seconds: outage.seconds,
          plannedSeconds: outage.plannedSeconds,
          calls: outage.calls,
          applications: Object.keys(outage.applications).length,
          series: outage.series.map(({ at, id }) => ({ at: instant(at), id })),
          last: { at: instant(outage.last.at), id: outage.last.id },
        })),
      }
    },
  )

  app.get(
    '/availability.csv',
    {
      schema: {
        operationId: 'getAvailabilityFile',
        summary: 'Download availability as CSV: one row for each day, quarter and API version',
        querystring: AvailabilityQuery,
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async ({ query }, reply) => {
      const { from, to, days, quarters } = await read(query)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="availability-${from}-${to}.csv"`)
        .send(csvOf(reportColumns, [...days, ...quarters]))
    },
  )
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}
