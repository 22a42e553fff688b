import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type { ApplicationSummary as Stored } from '../../stores/figures/application-summaries.ts'
import { signedIn } from '../request.ts'
import { type ApplicationSummary, ApplicationSummaryList } from '../schemas/usage.ts'

const hourMs = 3_600_000
const hoursShown = 24

/** What each of the developer's applications did of late. Needs a session. */
export function registerApplicationSummaries(
  app: PortalApp,
  { stores, now }: Needs<'now', 'applicationSummaries'>,
): void {
  app.get(
    '/api/applications/summary',
    {
      schema: {
        operationId: 'summarizeApplications',
        summary:
          'Read calls of the last 24 hours, working keys, versions and the last call of each of your applications',
        response: { 200: ApplicationSummaryList },
      },
    },
    async (request) => {
      const nowMs = now()
      const firstHour = Math.floor(nowMs / hourMs) - (hoursShown - 1)
      const found = await stores.applicationSummaries.list({
        developerId: signedIn(request).id,
        from: new Date(firstHour * hourMs),
        now: new Date(nowMs),
      })
      return {
        from: new Date(firstHour * hourMs).toISOString(),
        items: found.map((each) => summaryAnswer(each, firstHour)),
      }
    },
  )
}

function summaryAnswer(
  { hours, lastCallAt, ...summary }: Stored,
  firstHour: number,
): ApplicationSummary {
  const calls = new Map(hours.map(({ hour, admitted, refused }) => [hour, admitted + refused]))
  const counts = Array.from({ length: hoursShown }, (_, at) => calls.get(firstHour + at) ?? 0)
  return {
    ...summary,
    calls: counts.reduce((sum, each) => sum + each, 0),
    refused: hours.reduce((sum, { refused }) => sum + refused, 0),
    hours: counts,
    versions: [...summary.versions],
    lastCallAt: lastCallAt?.toISOString() ?? null,
  }
}
