// This folder creates and changes all tables but the bank's: those of the registry and of the portal. Each SQL file is
// one migration, and this file lists them. A new migration expands, so that older releases still work on its tables;
// one that contracts declares `oldestRelease` (`platform/database/schema-migration.ts`). A file never changes after its
// release.

import { migrationOf } from '../../platform/database/migration-of.ts'
import type { SchemaMigrations } from '../../platform/database/schema-migration.ts'

/** All migrations of the registry by name. */
export const registryMigrations: SchemaMigrations = {
  '0001-registry': migrationOf(new URL('0001-registry.sql', import.meta.url)),
  '0002-call-paths': migrationOf(new URL('0002-call-paths.sql', import.meta.url)),
  '0003-client-errors': migrationOf(new URL('0003-client-errors.sql', import.meta.url)),
  '0004-page-keys': migrationOf(new URL('0004-page-keys.sql', import.meta.url)),
  '0005-wanted-until': migrationOf(new URL('0005-wanted-until.sql', import.meta.url)),
}
