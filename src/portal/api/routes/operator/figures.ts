import type { Language } from '../../../../messages/language.ts'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { rememberByMinute } from '../../remember-by-minute.ts'
import type { PublishedApis } from '../../schemas/catalogue.ts'
import { LanguageQuery } from '../../schemas/guides.ts'
import {
  OperatorOverview,
  OperatorPlans,
  OperatorVersions,
  Waiting,
} from '../../schemas/operator.ts'
import { publishedApis } from '../published-apis.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How far back the overview looks for calls and for new developers. */
const overviewHours = 24
const newDays = 7
const callersDays = 30

/** Numbers alone: no read of developers. */
export const waitingPath = '/waiting'

/** Figures over all developers: current activity, callers of each version, use of each plan. Needs an operator. */
export function registerFigures(
  app: PortalApp,
  { catalogue, now, stores }: Needs<'catalogue' | 'now', 'figures'>,
): void {
  const { figures } = stores
  const remembered = rememberByMinute<PublishedApis>({ catalogue, now })
  const apisIn = (language: Language = 'en') =>
    remembered(language, () => publishedApis(catalogue(), now(), language)).items

  app.get(
    '/overview',
    {
      schema: {
        operationId: 'getOperatorOverview',
        summary: 'Read the calls of the last 24 hours and what is registered',
        response: { 200: OperatorOverview },
      },
    },
    async () => {
      const at = now()
      const thisHour = Math.floor(at / hourMs) * hourMs
      const from = new Date(thisHour - (overviewHours - 1) * hourMs)
      const [found, counts] = await Promise.all([
        figures.hours(from),
        figures.counts(new Date(at - newDays * dayMs)),
      ])
      const byHour = new Map(found.map((hour) => [hour.at.getTime(), hour]))
      const hours = Array.from({ length: overviewHours }, (_, index) => {
        const begins = new Date(from.getTime() + index * hourMs)
        const none = { at: begins, admitted: 0, refused: 0, errors: 0, clientErrors: 0 }
        return withInstants(byHour.get(begins.getTime()) ?? none)
      })
      return { hours, counts, newDays }
    },
  )

  app.get(
    waitingPath,
    {
      schema: {
        operationId: 'getWaiting',
        summary: 'Count the developers and the limit requests that wait for an operator',
        response: { 200: Waiting },
      },
    },
    () => figures.waiting(),
  )

  app.get(
    '/versions',
    {
      schema: {
        operationId: 'listVersionCallers',
        summary: 'List the published versions with the applications that called them in 30 days',
        querystring: LanguageQuery,
        response: { 200: OperatorVersions },
      },
    },
    async ({ query }) => {
      const from = new Date(now() - callersDays * dayMs)
      const [callers, use] = await Promise.all([figures.versionCallers(from), figures.planUse()])
      const items = apisIn(query.language).flatMap(({ api, title, versions }) =>
        versions.map(({ version, lifecycle, isDeprecated, isRetired }) => {
          const isThis = (other: { api: string; version: string }) =>
            other.api === api && other.version === version
          return {
            api,
            version,
            title,
            lifecycle,
            isDeprecated,
            isRetired,
            subscriptions: use.filter(isThis).reduce((sum, each) => sum + each.subscriptions, 0),
            callers: callers
              .filter(isThis)
              .map(({ api, version, ...caller }) => withInstants(caller)),
          }
        }),
      )
      return { from: from.toISOString(), items }
    },
  )

  app.get(
    '/plans',
    {
      schema: {
        operationId: 'listPlanUse',
        summary:
          'List the plans with their limits and subscriptions, and the overrides that apply now',
        querystring: LanguageQuery,
        response: { 200: OperatorPlans },
      },
    },
    async ({ query }) => {
      const [use, overrides] = await Promise.all([figures.planUse(), figures.activeOverrides()])
      const items = apisIn(query.language).flatMap(({ api, versions }) =>
        versions.flatMap(({ version, plans }) =>
          plans.map((plan) => {
            const found = use.find(
              (each) => each.api === api && each.version === version && each.plan === plan.name,
            )
            return { api, version, plan, subscriptions: found?.subscriptions ?? 0 }
          }),
        ),
      )
      return { items, overrides: overrides.map(withInstants) }
    },
  )
}
