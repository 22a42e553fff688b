import { type Kysely, sql } from 'kysely'
import { beginCursor } from '../../../registry/job-cursor.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** Content of a mail to one operator about the waiting requests for more calls. */
export interface LimitRequestDigest {
  readonly email: string
  /** Open requests that the operator may answer. */
  readonly waiting: number
  /** API of the newest request. */
  readonly api: string
  readonly version: string
  readonly limit: string
  readonly calls: number
  readonly wantedUntil: Date | null
  readonly reason: string
  readonly applicationId: string
  readonly applicationName: string
  readonly developerName: string
  readonly developerEmail: string
}

/** Name of the row of `portal_state` with the time of the last mail to operators. */
const cursor = 'limit-request-mails'

/**
 * Locks the digest for this transaction. Requests are created under this lock, so
 * that no request with an earlier time appears after a mail.
 */
export async function lockDigest(trx: PortalTransaction): Promise<void> {
  await beginCursor(trx, cursor, '-infinity')
  await trx
    .selectFrom('portal_state')
    .select('name')
    .where('name', '=', cursor)
    .forUpdate()
    .execute()
}

/** Whether the last mail is at least an hour old and an open request is newer. Takes one statement. */
export async function isDigestDue(db: Kysely<PortalSchema>): Promise<boolean> {
  const { rows } = await sql<{ isDue: boolean }>`
    select exists(select from portal_state join limit_requests on created_at > value::timestamptz
      where name = ${cursor} and state = 'open'
        and value::timestamptz <= clock_timestamp() - interval '1 hour') as "isDue"`.execute(db)
  return rows[0]?.isDue === true
}

/**
 * Takes the content of the mails to operators, under {@link lockDigest}: empty
 * within an hour of the last mail, or without a newer request. Operators get no
 * mail about requests of their own applications, because they may not answer these.
 */
export async function takeDigest(trx: PortalTransaction): Promise<readonly LimitRequestDigest[]> {
  if (!(await isDigestDue(trx))) return []
  const { rows } = await sql<LimitRequestDigest>`
    select distinct on (operators.id) operators.email,
      count(*) over (partition by operators.id)::int as waiting,
      requests.api, requests.version, requests.limit_name as "limit", requests.calls,
      requests.wanted_until as "wantedUntil", requests.reason,
      applications.id as "applicationId", applications.name as "applicationName",
      owners.name as "developerName", owners.email as "developerEmail"
    from developers operators
    join applications on applications.developer_id <> operators.id
    join limit_requests requests on requests.application_id = applications.id and requests.state = 'open'
    join developers owners on owners.id = applications.developer_id
    where operators.is_operator and operators.suspended_at is null
    order by operators.id, requests.created_at desc`.execute(trx)
  await trx
    .updateTable('portal_state')
    .set({ value: sql`clock_timestamp()::text`, changed_at: sql`clock_timestamp()` })
    .where('name', '=', cursor)
    .execute()
  return rows
}
