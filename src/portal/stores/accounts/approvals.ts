import { type Kysely, sql } from 'kysely'
import { lockDeveloper } from '../../../registry/applications/developer.ts'
import { change } from '../../../registry/transaction.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema } from '../schema.ts'

/** Approves developers who signed up while approval by an operator was required. */
export interface Approvals {
  /**
   * Idempotent. Only the call that approves writes the mail about it.
   *
   * @throws {RegistryNotFound}
   */
  approve(input: { id: string; by: string; outbox: Outbox }): Promise<void>
}

export function createApprovals({ db }: { db: Kysely<PortalSchema> }): Approvals {
  return {
    approve: ({ id, by, outbox }) =>
      change(db, async (trx, record) => {
        const { email } = await lockDeveloper(trx, id)
        const { numUpdatedRows } = await trx
          .updateTable('developers')
          .set({ approved_at: sql`now()` })
          .where('id', '=', id)
          .where('approved_at', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return
        const changed = { kind: 'developer', action: 'update', developerId: id } as const
        await record(changed, { by, action: 'developer.approve' })
        await outbox.post(trx, { kind: 'approved' }, email)
      }),
  }
}
