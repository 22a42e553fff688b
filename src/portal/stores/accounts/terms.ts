import type { Kysely } from 'kysely'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { auditOwn } from './audit-own.ts'

/** A version of the bank's terms that a developer accepted. */
export interface AcceptedTerms {
  readonly version: string
  readonly acceptedAt: Date
}

/** Which terms developers have accepted. The configuration says which version is current. */
export interface Terms {
  /** Notes the acceptance, with an entry in the audit. A version that was accepted before keeps its date. */
  accept(input: { developerId: string; version: string }): Promise<void>
}

export function createTerms({ db }: { readonly db: Kysely<PortalSchema> }): Terms {
  return {
    accept: ({ developerId, version }) =>
      db.transaction().execute(async (trx) => {
        // A deleted developer can no longer accept anything.
        const owner = await trx
          .selectFrom('developers')
          .select('id')
          .where('id', '=', developerId)
          .forNoKeyUpdate()
          .executeTakeFirst()
        if (owner === undefined || !(await keepAcceptance(trx, { developerId, version }))) return
        await auditOwn(trx, developerId, 'developer.accept-terms', { version })
      }),
  }
}

/** Notes an acceptance now. @returns whether it is new */
export async function keepAcceptance(
  trx: PortalTransaction,
  { developerId, version }: { developerId: string; version: string },
): Promise<boolean> {
  const kept = await trx
    .insertInto('accepted_terms')
    .values({ developer_id: developerId, version })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .executeTakeFirst()
  return kept !== undefined
}

/** The terms that a developer accepted last; null: none. */
export async function newestAcceptance(
  db: Kysely<PortalSchema>,
  developerId: string,
): Promise<AcceptedTerms | null> {
  const found = await db
    .selectFrom('accepted_terms')
    .select(['version', 'accepted_at as acceptedAt'])
    .where('developer_id', '=', developerId)
    .orderBy('accepted_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found ?? null
}
