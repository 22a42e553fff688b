import { randomBytes } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { deleteAged } from '../delete-aged.ts'
import type { RegistrySchema } from '../schema.ts'
import { currentAuditContext } from './audit-context.ts'
import { digestOfPersonal } from './chain.ts'

/**
 * One change: actor, action and subject. Contains no personal data of
 * developers and no secrets: ids, names of APIs and plans, and public addresses
 * of applications.
 */
export interface AuditEntry {
  /** `developer:<id>`, `staff:<id>` (an operator in the portal), `operator:<name>` (a system user's command) or `system`. */
  readonly actor: string
  /** `<entity>.<verb>`: `key.revoke`. */
  readonly action: string
  /** `<entity>:<id>`. */
  readonly subject: string
  readonly detail?: Readonly<Record<string, string>>
}

export interface RecordedAudit extends Required<AuditEntry> {
  readonly id: number
  readonly at: Date
  /** UUID of the portal's request that made the change. */
  readonly requestId: string | null
  /** Client address and browser of that request, as far as they were recorded and not erased yet. */
  readonly address: string | null
  readonly agent: string | null
}

export interface Audit {
  /** Newest first. `subject` and `actor` must match exactly; `after` is the id of the last entry already read. */
  list(options: {
    subject?: string | undefined
    actor?: string | undefined
    after?: number | undefined
    limit: number
  }): Promise<RecordedAudit[]>
  /** Erases addresses and browsers of entries older than `days`, in batches. The chain stays valid. */
  erasePersonal(days: number, isStopped?: () => boolean): Promise<void>
}

/** Reads the audit. Each change writes its own entry. */
export function createAudit({ db }: { db: Kysely<RegistrySchema> }): Audit {
  return {
    list({ subject, actor, after, limit }) {
      return db
        .selectFrom('audit')
        .leftJoin('audit_personal', 'audit_personal.entry_id', 'audit.id')
        .select([
          'audit.id',
          'audit.at',
          'actor',
          'action',
          'subject',
          'detail',
          'request_id as requestId',
          sql<string | null>`audit_personal.facts ->> 'address'`.as('address'),
          sql<string | null>`audit_personal.facts ->> 'agent'`.as('agent'),
        ])
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
        .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
        .$if(after !== undefined, (query) => query.where('audit.id', '<', after ?? 0))
        .orderBy('audit.id', 'desc')
        .limit(limit)
        .execute()
    },

    erasePersonal: (days, isStopped) => deleteAged(db, 'audit_personal', days, isStopped),
  }
}

/**
 * Writes an entry in the transaction of its change, and notes that it waits for
 * its link in the chain. Waits for no other writer.
 */
export async function recordAudit(
  trx: Transaction<RegistrySchema>,
  { actor, action, subject, detail = {} }: AuditEntry,
): Promise<void> {
  const { requestId, personal = {} } = currentAuditContext() ?? {}
  const hasPersonal = Object.keys(personal).length > 0
  const salt = hasPersonal ? randomBytes(16) : null
  const digest = salt === null ? null : digestOfPersonal(salt, personal)
  await sql`
    with entry as (
      insert into audit (actor, action, subject, detail, request_id, personal_digest)
      values (${actor}, ${action}, ${subject}, ${JSON.stringify(detail)}::jsonb, ${requestId ?? null}, ${digest})
      returning id
    ), personal as (
      insert into audit_personal (entry_id, salt, facts)
      select id, ${salt}::bytea, ${JSON.stringify(personal)}::jsonb from entry where ${hasPersonal}::boolean
    )
    insert into audit_waiting (entry_id) select id from entry`.execute(trx)
}
