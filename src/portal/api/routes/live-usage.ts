import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { liveUsage } from '../live-usage.ts'
import { ApplicationParams, ownApplication } from '../own-application.ts'
import { LiveUsageList } from '../schemas/usage.ts'

/** What is left in the current windows. Needs a session. */
export function registerLiveUsage(
  app: PortalApp,
  services: Needs<'catalogue' | 'counter' | 'now', 'applications' | 'overrides' | 'subscriptions'>,
): void {
  const { stores, counter, now } = services

  app.get(
    '/api/applications/:id/usage',
    {
      schema: {
        operationId: 'getUsage',
        summary:
          'Read calls used and left until each limit resets, from the counter that the gateway enforces',
        params: ApplicationParams,
        response: { 200: LiveUsageList },
        problems: ['COUNTERS_UNAVAILABLE'],
      },
    },
    async (request) => {
      const { id: applicationId } = await ownApplication(stores, request, request.params)
      const subscriptions = await stores.subscriptions.list({ applicationId })
      const overrides = await stores.overrides.list({ applicationId })
      const catalogue = services.catalogue()
      return liveUsage({ applicationId, subscriptions, overrides, catalogue, counter, now })
    },
  )
}
