import type { Kysely, Transaction } from 'kysely'
import type { RegistrySchema } from './schema.ts'

/** One change: actor, action and subject. Contains no personal data and no secrets, only ids and names of APIs and plans. */
export interface AuditEntry {
  /** `developer:<id>`, `operator:<name>` or `system`. */
  readonly actor: string
  /** `<entity>.<verb>`: `key.revoke`. */
  readonly action: string
  /** `<entity>:<id>`. */
  readonly subject: string
  readonly detail?: Readonly<Record<string, string>>
}

export interface RecordedAudit extends AuditEntry {
  readonly id: number
  readonly at: Date
}

export interface Audit {
  /** Newest first. `subject` and `actor` must match exactly; `after` is the id of the last entry already read. */
  list(options: {
    subject?: string | undefined
    actor?: string | undefined
    after?: number | undefined
    limit: number
  }): Promise<RecordedAudit[]>
}

/** Reads the audit. Each change writes its own entry. */
export function createAudit({ db }: { db: Kysely<RegistrySchema> }): Audit {
  return {
    list({ subject, actor, after, limit }) {
      return db
        .selectFrom('audit')
        .select(['id', 'at', 'actor', 'action', 'subject', 'detail'])
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
        .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
        .$if(after !== undefined, (query) => query.where('id', '<', after ?? 0))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
    },
  }
}

/** Writes an entry in the transaction of its change. */
export async function recordAudit(
  trx: Transaction<RegistrySchema>,
  { actor, action, subject, detail = {} }: AuditEntry,
): Promise<void> {
  await trx
    .insertInto('audit')
    .values({ actor, action, subject, detail: JSON.stringify(detail) })
    .execute()
}
