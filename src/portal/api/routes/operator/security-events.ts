import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import { inputInvalid } from '../../portal-error.ts'
import { SecurityEventList, SecurityEventQuery } from '../../schemas/operator.ts'

/** What happened at the doors. Needs an operator. */
export function registerSecurityEvents(
  app: PortalApp,
  { stores }: Needs<never, 'partyNames' | 'securityEvents'>,
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
      const { event, without, party, keyId, from, until, after } = query
      const found = await stores.securityEvents.list({
        event,
        without,
        keyId,
        parties: party === undefined ? undefined : [party],
        from: dateOf('/from', from),
        until: dateOf('/until', until),
        after: after === undefined ? undefined : Number(after),
        limit: pageOf(query).limit,
      })
      const parties = found.flatMap(({ actor, subject }) => [actor ?? '', subject ?? ''])
      const names = await stores.partyNames.find(parties)
      const nameOf = (named: string | null) => names.get(named ?? '')?.name ?? null
      return listAnswer(query, found, (recorded) => ({
        ...withInstants(recorded),
        actorName: nameOf(recorded.actor),
        subjectName: nameOf(recorded.subject),
      }))
    },
  )
}

/** @throws {PortalError} INPUT_INVALID for a leap second, which the schema accepts and Date does not */
function dateOf(path: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw inputInvalid(path, 'a time without a leap second')
  return date
}
