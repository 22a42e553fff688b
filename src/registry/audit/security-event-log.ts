import { type Kysely, sql } from 'kysely'
import type { KeptSecurityEvent } from '../../platform/log/security-events.ts'
import { deleteAged } from '../delete-aged.ts'
import type { RegistrySchema } from '../schema.ts'

/** A stored security event. */
export interface RecordedSecurityEvent extends KeptSecurityEvent {
  readonly id: number
}

/** Selects the events that match every given member. */
export interface SecurityEventFilter {
  readonly event?: string | undefined
  /** Name of an event to exclude. */
  readonly without?: string | undefined
  /**
   * `developer:<id>`, `application:<id>`, `staff:<id>` …: the actor or the subject is
   * one of these. The account and the staff id of an operator count as the same party.
   */
  readonly parties?: readonly string[] | undefined
  readonly keyId?: string | undefined
  /** Start of the period, inclusive. */
  readonly from?: Date | undefined
  /** End of the period, exclusive. */
  readonly until?: Date | undefined
}

export interface SecurityEventPage extends SecurityEventFilter {
  /** Id of the last event already read. */
  readonly after?: number | undefined
  readonly limit: number
  /** The order. (Default: newest) */
  readonly first?: 'newest' | 'oldest'
}

/** The table of security events, for all processes. */
export interface SecurityEventLog {
  /** Writes events in one statement. */
  write(events: readonly KeptSecurityEvent[]): Promise<void>
  /** In the order in which they were written. */
  list(page: SecurityEventPage): Promise<RecordedSecurityEvent[]>
  /** Deletes events older than `days`, in batches. */
  prune(days: number, isStopped?: () => boolean): Promise<void>
}

export function createSecurityEventLog({
  db,
}: {
  readonly db: Kysely<RegistrySchema>
}): SecurityEventLog {
  return {
    async write(events) {
      if (events.length === 0) return
      await db
        .insertInto('security_events')
        .values(
          events.map(({ keyId, requestId, detail, ...event }) => ({
            ...event,
            key_id: keyId,
            request_id: requestId,
            detail: JSON.stringify(detail),
          })),
        )
        .execute()
    },

    list({ event, without, parties, keyId, from, until, after, limit, first = 'newest' }) {
      const conditions = [
        event === undefined ? undefined : sql<boolean>`event = ${event}`,
        without === undefined ? undefined : sql<boolean>`event <> ${without}`,
        parties === undefined
          ? undefined
          : sql<boolean>`(actor = any(${withOtherNames(parties)}) or subject = any(${withOtherNames(parties)}))`,
        keyId === undefined ? undefined : sql<boolean>`key_id = ${keyId}`,
        from === undefined ? undefined : sql<boolean>`at >= ${from}`,
        until === undefined ? undefined : sql<boolean>`at < ${until}`,
        after === undefined
          ? undefined
          : sql<boolean>`id ${sql.raw(first === 'newest' ? '<' : '>')} ${after}`,
      ]
      return db
        .selectFrom('security_events')
        .select([
          'id',
          'at',
          'event',
          'reason',
          'actor',
          'subject',
          'key_id as keyId',
          'address',
          'agent',
          'request_id as requestId',
          'detail',
        ])
        .where(({ and }) => and(conditions.filter((condition) => condition !== undefined)))
        .orderBy('id', first === 'newest' ? 'desc' : 'asc')
        .limit(limit)
        .execute()
    },

    prune: (days, isStopped) => deleteAged(db, 'security_events', days, isStopped),
  }
}

/** An operator signs in with an account and then acts under the staff id. */
function withOtherNames(parties: readonly string[]) {
  return sql`array(
    select unnest(${parties}::text[])
    union select 'staff:' || id from staff where 'developer:' || developer_id = any(${parties})
    union select 'developer:' || developer_id from staff where 'staff:' || id = any(${parties}))`
}
