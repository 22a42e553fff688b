import { Type } from 'typebox'
import type { RecordedAudit } from '../../../../registry/audit/audit.ts'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { csvOf } from '../../csv.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import { AuditFileQuery, AuditList, AuditQuery } from '../../schemas/operator.ts'

/** Rows of a file; a whole export is a command (`tollgate audit export`). */
const fileRowsMax = 10_000

/** The audit log. Needs an operator. */
export function registerAudit(
  app: PortalApp,
  { stores }: Needs<never, 'audit' | 'partyNames'>,
): void {
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
      return listAnswer(query, await withNames(found), withInstants)
    },
  )

  app.get(
    '/audit.csv',
    {
      schema: {
        operationId: 'getAuditFile',
        summary: 'Download the newest 10,000 entries of the audit log as CSV',
        querystring: AuditFileQuery,
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async ({ query }, reply) => {
      const found = await withNames(await stores.audit.list({ ...query, limit: fileRowsMax }))
      const rows = found.map((entry) => ({
        ...withInstants(entry),
        detail: JSON.stringify(entry.detail),
      }))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="audit.csv"')
        .send(csvOf(columns, rows))
    },
  )

  /** The entries with the present names of what they mention. */
  async function withNames(entries: readonly RecordedAudit[]) {
    const names = await stores.partyNames.find(entries.flatMap(partiesOf))
    const nameOf = (party: string | undefined) => names.get(party ?? '')?.name ?? null
    return entries.map((entry) => {
      const { actor, subject } = entry
      return {
        ...entry,
        actorName: nameOf(actor),
        subjectName: nameOf(subject),
        applicationName: nameOf(applicationOf(entry)),
      }
    })
  }
}

const columns = [
  'id',
  'at',
  'actor',
  'actorName',
  'action',
  'subject',
  'subjectName',
  'applicationName',
  'detail',
  'requestId',
  'address',
  'agent',
] as const

function partiesOf(entry: RecordedAudit): string[] {
  return [entry.actor, entry.subject, applicationOf(entry) ?? '']
}

function applicationOf({ detail }: RecordedAudit): string | undefined {
  const id = detail['applicationId']
  return id === undefined ? undefined : `application:${id}`
}
