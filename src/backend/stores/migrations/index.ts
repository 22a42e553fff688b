import type { Migration } from 'kysely/migration'
import { bankMigration } from './0001-bank.ts'
import { dueMigration } from './0002-due.ts'

/** Every migration of the bank by name, for `migrate`. */
export const bankMigrations: Readonly<Record<string, Migration>> = {
  '0001-bank': bankMigration,
  '0002-due': dueMigration,
}
