// This folder keeps the bank's resources in PostgreSQL. Read this file first: it lists the stores and runs several
// in one transaction. `schema.ts` describes the tables after the newest of `migrations/`; each other file is one store
// with the statements that the bank needs. Stores contain no rules: these are in `domain/`, and `processes/` combines
// changes that belong together.

import { CamelCasePlugin, type Kysely, type Transaction } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import { createAccountStore } from './accounts.ts'
import { createAuthorisationStore } from './authorisations.ts'
import { createCardAccountStore } from './card-accounts.ts'
import { createConsentStore } from './consents.ts'
import { createDueStore } from './due.ts'
import { createEntryStore } from './entries.ts'
import { createIdempotencyStore } from './idempotency.ts'
import { createMandateStore } from './mandates.ts'
import { createPaymentStore } from './payments.ts'
import { createPsuAttemptStore } from './psu-attempts.ts'
import { createPsuStore } from './psus.ts'
import type { BankSchema } from './schema.ts'

/** All stores of the bank, on one connection or transaction. */
export type Stores = ReturnType<typeof createStores>

function createStores(db: Kysely<BankSchema>) {
  return {
    psus: createPsuStore(db),
    psuAttempts: createPsuAttemptStore(db),
    accounts: createAccountStore(db),
    entries: createEntryStore(db),
    cardAccounts: createCardAccountStore(db),
    payments: createPaymentStore(db),
    consents: createConsentStore(db),
    mandates: createMandateStore(db),
    authorisations: createAuthorisationStore(db),
    idempotency: createIdempotencyStore(db),
    due: createDueStore(db),
  }
}

/** The stores for single statements, and a function that runs several in one transaction. */
export interface BankStores extends Stores {
  /**
   * Runs `work` in one transaction; an exception rolls back. Retries when the
   * database aborts the transaction in favour of another, so `work` must change
   * nothing else. `work` must use only the given stores: the embedded database has
   * one connection, so `work` would wait for another forever.
   */
  transaction<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>
}

/** Maps the bank's tables to the names in the code. */
export function connectBank(database: Database): Kysely<BankSchema> {
  return database
    .connect<BankSchema>()
    .withPlugin(new CamelCasePlugin({ maintainNestedObjectKeys: true }))
    .withSchema('bank')
}

/** Creates the stores of the bank on a database whose migrations have run. */
export function createBankStores(database: Database): BankStores {
  const db = connectBank(database)
  return {
    ...createStores(db),
    transaction: (work) => inTransaction(db, (trx) => work(createStores(trx))),
  }
}

/** Runs `work` in one transaction and retries it; see {@link BankStores}. */
export async function inTransaction<Result>(
  db: Kysely<BankSchema>,
  work: (trx: Transaction<BankSchema>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === attemptsMost || !isRolledBack(error)) throw error
    }
  }
}

/** Maximum number of attempts of a transaction. */
const attemptsMost = 5

/** SQLSTATE class 40: a deadlock or a conflict, so a retry can succeed. */
function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('40')
}
