import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { BankSchema, PaymentTable } from './schema.ts'

export type Payment = Selectable<PaymentTable>

export function createPaymentStore(db: Kysely<BankSchema>) {
  const byId = (id: string) => db.selectFrom('payments').selectAll().where('id', '=', id)

  return {
    async insert(payment: Insertable<PaymentTable>): Promise<void> {
      await db.insertInto('payments').values(payment).execute()
    },

    find(id: string): Promise<Payment | undefined> {
      return byId(id).executeTakeFirst()
    },

    /** Reads a payment and locks it until the transaction ends. */
    lock(id: string): Promise<Payment | undefined> {
      return byId(id).forNoKeyUpdate().executeTakeFirst()
    },

    /** The payments of an application that are not approved yet. */
    async waitingOf(applicationId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('payments')
        .select('id')
        .where('applicationId', '=', applicationId)
        .where('status', '=', 'RCVD')
        .execute()
      return rows.map(({ id }) => id)
    },

    async update(id: string, change: Updateable<PaymentTable>): Promise<void> {
      await db.updateTable('payments').set(change).where('id', '=', id).execute()
    },
  }
}
