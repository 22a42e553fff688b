import { type Kysely, sql } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import { connectBank, inTransaction } from '../stores/bank-stores.ts'
import type { BankSchema } from '../stores/schema.ts'
import { type SeedOptions, seedPeople } from './seed.ts'

/** Numbers of resources that TPPs have created, by kind. */
export interface SandboxCounts {
  readonly consents: number
  readonly payments: number
  readonly mandates: number
}

/** Counts what {@link resetSandbox} would delete. */
export function countSandbox(database: Database): Promise<SandboxCounts> {
  return count(connectBank(database))
}

/**
 * Deletes all data of the bank and seeds the sandbox again in one transaction, so
 * that calls see either the old state or the new one. The migrations must have
 * run.
 *
 * @returns what was deleted in addition to customers, accounts and entries
 */
export function resetSandbox({ database, now, timeZone }: SeedOptions): Promise<SandboxCounts> {
  return inTransaction(connectBank(database), async (db) => {
    const deleted = await count(db)
    // In the order in which most calls lock them; all other tables refer to these.
    await sql`
      truncate bank.idempotency, bank.payments, bank.consents, bank.mandates,
        bank.authorisations, bank.psus, bank.accounts, bank.transactions cascade`.execute(db)
    await seedPeople(db, { now: now(), timeZone })
    return deleted
  })
}

async function count(db: Kysely<BankSchema>): Promise<SandboxCounts> {
  const rowsOf = async (table: keyof SandboxCounts) => {
    const { rows } = await db
      .selectFrom(table)
      .select((any) => any.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return rows
  }
  return {
    consents: await rowsOf('consents'),
    payments: await rowsOf('payments'),
    mandates: await rowsOf('mandates'),
  }
}
