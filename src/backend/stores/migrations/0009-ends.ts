import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Drops the indexes of a job that is gone: reads compare the end of a consent or mandate themselves. */
export const endsMigration = migrationOf(`drop index bank.consents_due, bank.mandates_due`)
