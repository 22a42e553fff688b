import { type Kysely, sql } from 'kysely'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** Changes of keys that one mail reports to a developer. */
export interface KeyDigest {
  readonly developerId: string
  readonly email: string
  /** Start of the hour. */
  readonly since: Date
  /** Oldest first. */
  readonly changes: readonly NotedChange[]
  /** Number of further changes, beyond the maximum of the list. */
  readonly more: number
}

/** One change in a digest. */
export interface NotedChange {
  readonly action: 'issue' | 'replace' | 'revoke' | 'update'
  readonly applicationName: string
  readonly keyName: string
  readonly hint: string
  /** ISO 8601, UTC. */
  readonly at: string
}

/** Maximum number of mails about single changes that a developer gets in an hour. */
export const mailsPerHour = 5
const changesMax = 100
const hour = sql`interval '1 hour'`

/**
 * Counts a change towards the mails of a developer's hour, which begins with
 * its first change.
 *
 * @returns whether the change gets its own mail; otherwise the digest at the end
 *   of the hour reports it
 */
export async function takeMail(
  trx: PortalTransaction,
  developerId: string,
  change: NotedChange,
): Promise<boolean> {
  const { rows } = await sql<{ isOwn: boolean }>`
    insert into key_digests as d (developer_id, letters) values (${developerId}, 1)
    on conflict (developer_id) do update set
      letters = d.letters + 1,
      changes = case when d.letters < ${mailsPerHour} or jsonb_array_length(d.changes) >= ${changesMax}
        then d.changes else d.changes || jsonb_build_array(${JSON.stringify(change)}::jsonb) end,
      more = d.more + case when jsonb_array_length(d.changes) >= ${changesMax} then 1 else 0 end
    returning letters <= ${mailsPerHour} as "isOwn"`.execute(trx)
  return rows[0]?.isOwn === true
}

/** Whether the hour of any developer has ended. Cheap enough for constant polling. */
export async function hasEndedHours(db: Kysely<PortalSchema>): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select from key_digests where began_at <= now() - ${hour}) as "isThere"`.execute(
    db,
  )
  return rows[0]?.isThere === true
}

/** Ends the hours that are over and returns the digests of those with more changes than mails. */
export async function endHours(trx: PortalTransaction): Promise<KeyDigest[]> {
  const { rows } = await sql<KeyDigest>`
    with ended as (
      delete from key_digests where began_at <= now() - ${hour}
      returning developer_id, began_at, changes, more
    )
    select d.id as "developerId", d.email, ended.began_at as since, ended.changes, ended.more
    from ended join developers d on d.id = ended.developer_id
    where ended.changes <> '[]'`.execute(trx)
  return rows
}
