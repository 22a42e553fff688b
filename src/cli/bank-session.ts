import { randomUUID } from 'node:crypto'
import { type Clockwork, createClockwork } from '../backend/processes/clockwork.ts'
import { type BankStores, createBankStores } from '../backend/stores/bank-stores.ts'
import { bankMigrations } from '../backend/stores/migrations/index.ts'
import type { Database } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { type DatabaseSettings, unreachable, withDatabase } from './database-session.ts'

/** The settings a command needs to reach the sandbox bank. */
export type BankSettings = DatabaseSettings & Pick<Settings, 'bankTimeZone' | 'migrateOnStart'>

/** The sandbox bank without its listeners: what happens at the bank's own counter. */
export interface BankSession {
  readonly database: Database
  readonly clockwork: Clockwork
  readonly stores: BankStores
  readonly randomUUID: () => string
  readonly timeZone: string
}

/**
 * Runs `work` on the data of the sandbox bank, wherever its database is
 * ({@link withDatabase}). Creates the tables of a bank that has never run; they
 * are empty then.
 *
 * @throws {CommandError} the database cannot be reached
 */
export async function withBank<Result>(
  settings: BankSettings,
  work: (bank: BankSession) => Promise<Result>,
): Promise<Result> {
  return withDatabase(settings, async (database) => {
    const { migrateOnStart } = settings
    await migrate(database, { name: 'bank', migrations: bankMigrations, migrateOnStart }).catch(
      (error: unknown) => {
        throw unreachable('the bank', error)
      },
    )
    const stores = createBankStores(database)
    const bank = { database, stores, randomUUID, timeZone: settings.bankTimeZone }
    return work({ ...bank, clockwork: createClockwork(bank) })
  })
}
