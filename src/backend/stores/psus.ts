import type { Kysely, Selectable } from 'kysely'
import type { BankSchema, PsuTable } from './schema.ts'

/** A payment service user: a customer of the bank, for themselves or for an organisation. */
export type Psu = Selectable<PsuTable>

/** The PSUs of the bank. */
export function createPsuStore(db: Kysely<BankSchema>) {
  return {
    /** Finds a PSU by id or alias; undefined for an unknown one. */
    find(idOrAlias: string): Promise<Psu | undefined> {
      return db
        .selectFrom('psus')
        .selectAll()
        .where((eb) => eb.or([eb('id', '=', idOrAlias), eb('alias', '=', idOrAlias)]))
        .executeTakeFirst()
    },

    /** Whether any PSU acts for an organisation. */
    async hasCorporate(corporateId: string): Promise<boolean> {
      const row = await db
        .selectFrom('psus')
        .select('id')
        .where('corporateId', '=', corporateId)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Locks a PSU until the transaction ends, so that their approvals happen one at a time. */
    async lock(id: string): Promise<void> {
      await db.selectFrom('psus').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    },
  }
}
