import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { BankSchema, MandateTable } from './schema.ts'

export type Mandate = Selectable<MandateTable>

/** The constraint that keeps an open mandate's reference unique for its creditor and TPP. */
export const mandateReferenceConstraint = 'mandates_reference'

export function createMandateStore(db: Kysely<BankSchema>) {
  return {
    /** @throws DatabaseError of {@link mandateReferenceConstraint} when an open mandate has the reference */
    async insert(mandate: Insertable<MandateTable>): Promise<void> {
      await db.insertInto('mandates').values(mandate).execute()
    },

    find(id: string): Promise<Mandate | undefined> {
      return db.selectFrom('mandates').selectAll().where('id', '=', id).executeTakeFirst()
    },

    /** Reads a mandate and holds it until the transaction ends. */
    lock(id: string): Promise<Mandate | undefined> {
      return db
        .selectFrom('mandates')
        .selectAll()
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
    },

    async update(id: string, change: Updateable<MandateTable>): Promise<void> {
      await db.updateTable('mandates').set(change).where('id', '=', id).execute()
    },
  }
}
