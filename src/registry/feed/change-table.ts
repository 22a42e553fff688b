import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../audit/audit.ts'
import type { RegistrySchema } from '../schema.ts'
import type { Change, ChangeSubject, ReloadRequest } from './change.ts'
import { type ChangePage, readChanges } from './read-changes.ts'
import { recordChange } from './record-change.ts'

/** A change that is not a row of the registry. */
export type Announcement = Extract<Change, { readonly action: 'reset' | 'prove' | 'log' }>

export interface ChangeTable {
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
   * these facts.
   */
  askForReload(request: ReloadRequest): Promise<void>
  /** See {@link readChanges}. */
  read(horizon: string | undefined): Promise<ChangePage>
  /** Deletes changes older than `seconds`. */
  prune(seconds: number): Promise<void>
}

/** The table through which processes learn about changes. */
export function createChangeTable({ db }: { db: Kysely<RegistrySchema> }): ChangeTable {
  return {
    announce: (change, { by }) =>
      db.transaction().execute(async (trx) => {
        await recordChange(trx, change)
        if (by === undefined) return
        const { kind, action, detail } = change
        const { applicationId }: ChangeSubject = change
        const subject = applicationId === undefined ? `${kind}:all` : `application:${applicationId}`
        await recordAudit(trx, {
          actor: by,
          action: `${kind}.${action}`,
          subject,
          detail: { ...detail },
        })
      }),

    askForReload: (request) =>
      db.transaction().execute(async (trx) => {
        await recordChange(trx, { kind: 'configuration', action: 'reload', detail: request })
        // A bank in its own process reads no changes of the registry.
        await trx
          .updateTable('processes')
          .set({ reloads_asked: sql`reloads_asked + 1`, asked_by: request.by })
          .execute()
      }),

    read: (horizon) => readChanges(db, horizon),

    async prune(seconds) {
      await db
        .deleteFrom('changes')
        .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
        .execute()
    },
  }
}
