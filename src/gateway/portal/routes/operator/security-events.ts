import { withInstants } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import type { PortalApp } from '../../portal-app.ts'
import { SecurityEventList, SecurityEventQuery } from '../../schemas/operator.ts'
import type { PortalServices } from '../../services.ts'

/** What happened at the doors. Needs an operator. */
export function registerSecurityEvents(
  app: PortalApp,
  { stores }: Pick<PortalServices, 'stores'>,
): void {
  app.get(
    '/security-events',
    {
      schema: {
        operationId: 'listSecurityEvents',
        summary: 'List security events, newest first; `after` goes back in time',
        querystring: SecurityEventQuery,
        response: { 200: SecurityEventList },
      },
    },
    async ({ query }) => {
      const { event, party, keyId, from, until, after } = query
      const found = await stores.securityEvents.list({
        ...{ event, keyId },
        parties: party === undefined ? undefined : [party],
        from: dateOf(from),
        until: dateOf(until),
        after: after === undefined ? undefined : Number(after),
        limit: pageOf(query).limit,
      })
      return listAnswer(query, found, withInstants)
    },
  )
}

/** The schema has checked the text. */
function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
