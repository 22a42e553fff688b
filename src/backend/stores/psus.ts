import type { Kysely, Selectable } from 'kysely'
import type { BankSchema, PsuTable } from './schema.ts'

export type Psu = Selectable<PsuTable>

/** People who own accounts at the bank. */
export function createPsuStore(db: Kysely<BankSchema>) {
  return {
    /** Finds a person by id or alias; undefined for an unknown one. */
    find(idOrAlias: string): Promise<Psu | undefined> {
      return db
        .selectFrom('psus')
        .selectAll()
        .where((either) =>
          either.or([either('id', '=', idOrAlias), either('alias', '=', idOrAlias)]),
        )
        .executeTakeFirst()
    },

    /** Whether any person acts for an organisation. */
    async hasCorporate(corporateId: string): Promise<boolean> {
      const row = await db
        .selectFrom('psus')
        .select('id')
        .where('corporateId', '=', corporateId)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Locks the person until the transaction ends, so that its approvals happen one at a time. */
    async lock(id: string): Promise<void> {
      await db.selectFrom('psus').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    },
  }
}
