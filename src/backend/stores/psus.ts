import type { Kysely, Selectable } from 'kysely'
import type { BankSchema, PsuTable } from './schema.ts'

export type Psu = Selectable<PsuTable>

/** People who own accounts at the bank. */
export function createPsuStore(db: Kysely<BankSchema>) {
  return {
    /** Finds a person by id or alias; undefined when there is none. */
    find(idOrAlias: string): Promise<Psu | undefined> {
      return db
        .selectFrom('psus')
        .selectAll()
        .where((either) =>
          either.or([either('id', '=', idOrAlias), either('alias', '=', idOrAlias)]),
        )
        .executeTakeFirst()
    },

    /** Whether somebody acts for an organisation. */
    async hasCorporate(corporateId: string): Promise<boolean> {
      const row = await db
        .selectFrom('psus')
        .select('id')
        .where('corporateId', '=', corporateId)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Holds the person until the transaction ends, so that two of its approvals come one after the other. */
    async lock(id: string): Promise<void> {
      await db.selectFrom('psus').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    },
  }
}
