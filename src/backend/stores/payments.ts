import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { BankSchema, PaymentTable } from './schema.ts'

export type Payment = Selectable<PaymentTable>

export function createPaymentStore(db: Kysely<BankSchema>) {
  return {
    async insert(payment: Insertable<PaymentTable>): Promise<void> {
      await db.insertInto('payments').values(payment).execute()
    },

    find(id: string): Promise<Payment | undefined> {
      return db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
    },

    /** Reads a payment and holds it until the transaction ends. */
    lock(id: string): Promise<Payment | undefined> {
      return db
        .selectFrom('payments')
        .selectAll()
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirst()
    },

    async update(id: string, change: Updateable<PaymentTable>): Promise<void> {
      await db.updateTable('payments').set(change).where('id', '=', id).execute()
    },

    /** The id of the payment, but for these, whose next step is due first by `now`; undefined when none is. */
    async nextDue(now: Date, except: readonly string[]): Promise<string | undefined> {
      const due = db.selectFrom('payments').select('id').where('dueAt', '<=', now)
      const row = await (except.length === 0 ? due : due.where('id', 'not in', except))
        .orderBy('dueAt')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row?.id
    },
  }
}
