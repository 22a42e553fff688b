import type { Kysely } from 'kysely'
import { isUuid } from '../../platform/database/uuid.ts'
import { recordAudit } from '../audit/audit.ts'
import { checkReason } from '../name.ts'
import { RegistryInputInvalid, RegistryNotFound } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'

/** Announced maintenance: downtime in it is planned, from the announcement on. */
export interface MaintenanceWindow {
  readonly id: string
  /** Null: every API. */
  readonly api: string | null
  /** Null: every version. */
  readonly version: string | null
  readonly from: Date
  readonly until: Date
  readonly reason: string
  readonly announcedAt: Date
  /** The actor in the audit. */
  readonly announcedBy: string
}

export interface AnnounceInput {
  readonly api?: string | undefined
  readonly version?: string | undefined
  readonly from: Date
  readonly until: Date
  readonly reason: string
  readonly by: string
}

/** What operators announced. */
export interface Maintenance {
  /** @throws {RegistryInputInvalid} an end that is past or before the start, an invalid reason */
  announce(input: AnnounceInput): Promise<MaintenanceWindow>
  /** Windows that overlap `[from, to)` and were not withdrawn, by their start. */
  list(range: { from: Date; to: Date }): Promise<MaintenanceWindow[]>
  /**
   * Takes back a window: downtime in it is unplanned, as if it had never been announced.
   * @throws {RegistryNotFound} no such window, or it was withdrawn
   */
  withdraw(input: { id: string; by: string }): Promise<void>
}

export function createMaintenance(options: {
  readonly db: Kysely<RegistrySchema>
  readonly now: () => number
}): Maintenance {
  const { db, now } = options
  return {
    announce({ api = '', version = '', from, until, reason, by }) {
      if (until <= from) throw new RegistryInputInvalid('until', 'a time after `from`')
      // Past downtime cannot become planned.
      if (until.getTime() <= now()) throw new RegistryInputInvalid('until', 'a time in the future')
      checkReason(reason)
      return db.transaction().execute(async (trx) => {
        const row = await trx
          .insertInto('maintenance_windows')
          .values({
            api,
            version,
            reason,
            from_at: from,
            until_at: until,
            announced_at: new Date(now()),
            announced_by: by,
            withdrawn_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        await recordAudit(trx, {
          actor: by,
          action: 'maintenance.announce',
          subject: `maintenance:${row.id}`,
          detail: {
            ...(api === '' ? {} : { api, version }),
            from: from.toISOString(),
            until: until.toISOString(),
            reason,
          },
        })
        return windowOf(row)
      })
    },

    async list({ from, to }) {
      const rows = await db
        .selectFrom('maintenance_windows')
        .selectAll()
        .where('withdrawn_at', 'is', null)
        .where('from_at', '<', to)
        .where('until_at', '>', from)
        .orderBy('from_at')
        .orderBy('id')
        .execute()
      return rows.map(windowOf)
    },

    withdraw: ({ id, by }) =>
      db.transaction().execute(async (trx) => {
        const found = isUuid(id)
          ? await trx
              .updateTable('maintenance_windows')
              .set({ withdrawn_at: new Date(now()) })
              .where('id', '=', id)
              .where('withdrawn_at', 'is', null)
              .returning('id')
              .executeTakeFirst()
          : undefined
        if (found === undefined) throw new RegistryNotFound('maintenance', id)
        const subject = `maintenance:${id}`
        await recordAudit(trx, { actor: by, action: 'maintenance.withdraw', subject })
      }),
  }
}

function windowOf(row: {
  readonly id: string
  readonly api: string
  readonly version: string
  readonly from_at: Date
  readonly until_at: Date
  readonly reason: string
  readonly announced_at: Date
  readonly announced_by: string
}): MaintenanceWindow {
  return {
    id: row.id,
    api: row.api === '' ? null : row.api,
    version: row.version === '' ? null : row.version,
    from: row.from_at,
    until: row.until_at,
    reason: row.reason,
    announcedAt: row.announced_at,
    announcedBy: row.announced_by,
  }
}
