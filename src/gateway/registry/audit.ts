import type { Kysely, Transaction } from 'kysely'
import type { RegistrySchema } from './schema.ts'

/** Who did what to what. No personal data and no secrets: ids, names of APIs and plans. */
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
  /** Newest first. `subject` and `actor` are matched as a whole; `after` is the id of the last entry already seen. */
  list(options: {
    subject?: string | undefined
    actor?: string | undefined
    after?: number | undefined
    limit: number
  }): Promise<RecordedAudit[]>
}

/** Reads the audit; writing it belongs to the changes it tells of. */
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

/** Writes an entry in the transaction of the change it tells of. */
export async function recordAudit(
  trx: Transaction<RegistrySchema>,
  { actor, action, subject, detail = {} }: AuditEntry,
): Promise<void> {
  await trx
    .insertInto('audit')
    .values({ actor, action, subject, detail: JSON.stringify(detail) })
    .execute()
}
