// This folder creates and changes the bank's tables. Each SQL file is one migration, and this file lists them. As in
// `registry/migrations/`, a new migration expands, and a file never changes after its release.

import { migrationOf } from '../../../platform/database/migration-of.ts'
import type { SchemaMigrations } from '../../../platform/database/schema-migration.ts'

/** All migrations of the bank by name. */
export const bankMigrations: SchemaMigrations = {
  '0001-bank': migrationOf(new URL('0001-bank.sql', import.meta.url)),
}
