import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Finds the newest consents of an application without reading all consents. */
export const consentsMigration = migrationOf(
  `create index consents_application on bank.consents (application_id, created_at)`,
)
