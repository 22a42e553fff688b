import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { mandateTransitions } from '../domain/mandate.ts'
import { openStates } from '../domain/transitions.ts'
import type { BankSchema, MandateTable } from './schema.ts'

export type Mandate = Selectable<MandateTable>

/** The constraint that keeps an open mandate's reference unique for its creditor and TPP. */
export const mandateReferenceConstraint = 'mandates_reference'

const open = openStates(mandateTransitions)

export function createMandateStore(db: Kysely<BankSchema>) {
  const byId = (id: string) => db.selectFrom('mandates').selectAll().where('id', '=', id)

  return {
    /** @throws DatabaseError of {@link mandateReferenceConstraint} when an open mandate has the reference */
    async insert(mandate: Insertable<MandateTable>): Promise<void> {
      await db.insertInto('mandates').values(mandate).execute()
    },

    find(id: string): Promise<Mandate | undefined> {
      return byId(id).executeTakeFirst()
    },

    /** Reads a mandate and locks it until the transaction ends. */
    lock(id: string): Promise<Mandate | undefined> {
      return byId(id).forNoKeyUpdate().executeTakeFirst()
    },

    /** The open mandate with this reference of a TPP's creditor, as stored; undefined without one. */
    async openId({
      applicationId,
      creditor,
      reference,
    }: Readonly<Record<'applicationId' | 'creditor' | 'reference', string>>): Promise<
      string | undefined
    > {
      const row = await db
        .selectFrom('mandates')
        .select('id')
        .where('applicationId', '=', applicationId)
        .where('creditor', '=', creditor)
        .where('reference', '=', reference)
        .where('status', 'in', open)
        .executeTakeFirst()
      return row?.id
    },

    /** The mandates of an application that are not approved yet. */
    async waitingOf(applicationId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('mandates')
        .select('id')
        .where('applicationId', '=', applicationId)
        .where('status', '=', 'received')
        .execute()
      return rows.map(({ id }) => id)
    },

    async update(id: string, change: Updateable<MandateTable>): Promise<void> {
      await db.updateTable('mandates').set(change).where('id', '=', id).execute()
    },
  }
}
