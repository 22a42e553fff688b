// This folder creates and changes the bank's tables. Each file is one migration, and this one lists them. As in
// `registry/migrations/`, a new migration expands, and a file never changes after its release.

import type { SchemaMigrations } from '../../../platform/database/schema-migration.ts'
import { bankMigration } from './0001-bank.ts'
import { dueMigration } from './0002-due.ts'
import { settlementMigration } from './0003-settlement.ts'
import { mandateMigration } from './0004-mandates.ts'
import { entriesMigration } from './0005-entries.ts'
import { orderMigration } from './0006-order.ts'
import { askerMigration } from './0007-asker.ts'
import { consentsMigration } from './0008-consents.ts'
import { endsMigration } from './0009-ends.ts'
import { attemptsMigration } from './0010-attempts.ts'
import { formKeysMigration } from './0011-form-keys.ts'

/** Every migration of the bank by name, for `migrate`. */
export const bankMigrations: SchemaMigrations = {
  '0001-bank': bankMigration,
  '0002-due': dueMigration,
  '0003-settlement': settlementMigration,
  '0004-mandates': mandateMigration,
  '0005-entries': entriesMigration,
  '0006-order': orderMigration,
  '0007-asker': askerMigration,
  '0008-consents': consentsMigration,
  '0009-ends': endsMigration,
  '0010-attempts': attemptsMigration,
  '0011-form-keys': formKeysMigration,
}
