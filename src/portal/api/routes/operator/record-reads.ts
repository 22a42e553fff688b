import type { PortalApp } from '../../../portal-app.ts'
import type { PortalServices } from '../../../services.ts'
import { waitingPath } from './figures.ts'

/**
 * Records what operators read of developers: the route, and the developer or
 * application that its path names. Not the words of a search, because these are
 * addresses and names. Changes are in the audit.
 */
export function recordReads(
  scope: PortalApp,
  { events, circumstances }: Pick<PortalServices, 'events' | 'circumstances'>,
): void {
  scope.addHook('onResponse', async (request, reply) => {
    if (request.method !== 'GET' || reply.statusCode !== 200) return
    const route = request.routeOptions.url ?? ''
    if (route.endsWith(waitingPath)) return
    // Parse boundary: the routes of this scope have at most these parameters.
    const { id, requestId } = request.params as {
      readonly id?: string
      readonly requestId?: string
    }
    const kind = route.includes('/developers/') ? 'developer' : 'application'
    events.record({
      ...circumstances(request),
      event: 'operator.read',
      subject: id === undefined ? undefined : `${kind}:${id}`,
      detail: { route, ...(requestId !== undefined && { requestId }) },
    })
  })
}
