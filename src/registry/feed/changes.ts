import { type Kysely, sql, type Transaction } from 'kysely'
import { recordAudit } from '../audit/audit.ts'
import type { RegistrySchema } from '../schema.ts'

export type ChangeKind =
  | 'developer'
  | 'application'
  | 'subscription'
  | 'key'
  | 'counter'
  | 'configuration'
  | 'certificate'

/**
 * Actions that ask processes to do something at that moment. A process that
 * learns of any other one later must still follow it.
 */
const momentary: ReadonlySet<string> = new Set(['prove', 'log'])

/** Whether a change must not be repeated after its moment. */
export function isMomentary({ action }: Pick<Change, 'action'>): boolean {
  return momentary.has(action)
}

/** A change that every gateway process must learn about. Ids that do not apply are absent. */
export interface Change {
  readonly kind: ChangeKind
  /** `create`, `update`, `suspend`, `resume`, `delete`, `issue`, `replace`, `revoke`, `end`, `reset`, `reload`, `override`, `add`, `remove`, `block`, `unblock`, `reset-factor`, `prove`, `log`. */
  readonly action: string
  readonly developerId?: string
  readonly applicationId?: string
  readonly keyId?: string
  readonly detail?: Readonly<Record<string, string>>
}

/** A change outside the registry's tables. */
export type Announcement = Change & { readonly kind: 'counter' | 'configuration' }

/** A change as the table keeps it for an hour. */
export interface KeptChange extends Change {
  readonly id: number
  /** Milliseconds since 1970, with fractions, by the clock of the database. */
  readonly madeAt: number
}

/** Changes since the last read, and where the next read continues. */
export interface ChangePage {
  readonly changes: readonly KeptChange[]
  /**
   * Every transaction below this number had ended at the time of the read, so
   * no more changes come from there. A 64-bit number as text.
   */
  readonly horizon: string
  /** Time of the read, by the clock of the database. */
  readonly at: Date
  /** Which server answered, and since when it runs. */
  readonly server: string
}

export interface Changes {
  /**
   * Announces a change that is not a row of the registry to all processes, and
   * writes an audit entry by the actor in the same transaction. The
   * entry's subject is the application in the change, or all of its kind.
   *
   * @param actor.by undefined: the change belongs to one that has an entry, and gets none
   */
  announce(change: Announcement, actor: { readonly by: string | undefined }): Promise<void>
  /**
   * Asks all processes to load their configuration again. Writes no audit entry:
   * the process that finds a change first writes it, by this actor and with
   * this detail.
   */
  askForReload(
    asker: { readonly by: string },
    detail?: Readonly<Record<string, string>>,
  ): Promise<void>
  /**
   * Reads every committed change of transactions at or after `horizon`, in the
   * order of their ids; the caller drops those it has already seen.
   * Transactions do not commit in the order of their ids, so a cursor over ids
   * would miss changes; the horizon of the previous read cannot. Without
   * `horizon`, reads only the horizon. On a standby, fails as an outage.
   */
  read(horizon: string | undefined): Promise<ChangePage>
  /** Deletes changes older than `seconds`. */
  prune(seconds: number): Promise<void>
}

/** The table through which processes learn about changes. */
export function createChanges({ db }: { db: Kysely<RegistrySchema> }): Changes {
  return {
    announce: (change, { by }) =>
      db.transaction().execute(async (trx) => {
        await recordChange(trx, change)
        if (by === undefined) return
        const { kind, action, applicationId, detail = {} } = change
        const subject = applicationId === undefined ? `${kind}:all` : `application:${applicationId}`
        await recordAudit(trx, { actor: by, action: `${kind}.${action}`, subject, detail })
      }),

    askForReload: ({ by }, detail = {}) =>
      db.transaction().execute(async (trx) => {
        await recordChange(trx, {
          kind: 'configuration',
          action: 'reload',
          detail: { ...detail, by },
        })
        // A bank in a process of its own reads no changes of the registry.
        await trx
          .updateTable('processes')
          .set({ reloads_asked: sql`reloads_asked + 1`, asked_by: by })
          .execute()
      }),

    async read(horizon) {
      // One statement, so one snapshot: the new horizon belongs to exactly these rows. A standby, which a pooler may have
      // put behind an open connection, has no number to give and answers 25006, as to a write.
      const { rows } = await sql<ChangeRow>`
        select s.horizon, s.at, s.server, s.refusal, c.id,
          extract(epoch from c.created_at)::float8 * 1000 as "madeAt", jsonb_strip_nulls(jsonb_build_object(
          'kind', c.kind, 'action', c.action, 'detail', c.detail, 'keyId', c.key_id,
          'developerId', c.developer_id, 'applicationId', c.application_id)) as change
        from (
          select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, now() as at,
            pg_postmaster_start_time()::text as server,
            case when pg_is_in_recovery() then pg_current_xact_id() end as refusal
        ) s
        left join changes c on c.xid >= ${horizon ?? null}::text::xid8
        order by c.id`.execute(db)
      const [first] = rows
      if (first === undefined) throw new Error('a left join from one row returned none')
      return {
        horizon: first.horizon,
        at: first.at,
        server: first.server,
        changes: rows.flatMap(({ id, madeAt, change }) =>
          id === null ? [] : [{ ...change, id, madeAt: Number(madeAt) }],
        ),
      }
    },

    async prune(seconds) {
      await db
        .deleteFrom('changes')
        .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
        .execute()
    },
  }
}

/** Writes a change in the transaction that makes it. */
export async function recordChange(
  trx: Transaction<RegistrySchema>,
  change: Change,
): Promise<void> {
  await trx
    .insertInto('changes')
    .values({
      kind: change.kind,
      action: change.action,
      developer_id: change.developerId ?? null,
      application_id: change.applicationId ?? null,
      key_id: change.keyId ?? null,
      detail: JSON.stringify(change.detail ?? {}),
    })
    .execute()
}

interface ChangeRow {
  readonly horizon: string
  readonly server: string
  readonly at: Date
  /** Null in the only row when there are no changes. */
  readonly id: number | null
  readonly madeAt: number | null
  readonly change: Change
}
