import { withInstants } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import type { PortalApp } from '../../portal-app.ts'
import { AuditList, AuditQuery } from '../../schemas/operator.ts'
import type { PortalServices } from '../../services.ts'

/** Who did what. Needs an operator. */
export function registerAudit(app: PortalApp, { stores }: Pick<PortalServices, 'stores'>): void {
  app.get(
    '/audit',
    {
      schema: {
        operationId: 'listAudit',
        summary: 'List the audit log, newest first; `after` goes back in time',
        querystring: AuditQuery,
        response: { 200: AuditList },
      },
    },
    async ({ query }) => {
      const { subject, actor, after } = query
      const found = await stores.audit.list({
        subject,
        actor,
        after: after === undefined ? undefined : Number(after),
        limit: pageOf(query).limit,
      })
      return listAnswer(query, found, withInstants)
    },
  )
}
