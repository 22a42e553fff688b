import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Indexes for the job, which finds due rows without reading whole tables. */
export const dueMigration = migrationOf(`
create index authorisations_due on bank.authorisations (created_at)
  where status not in ('finalised', 'failed', 'exempted');
create index consents_due on bank.consents (valid_until)
  where status in ('valid', 'suspendedByASPSP');
create index mandates_due on bank.mandates (ends_on)
  where status in ('valid', 'suspended');
`)
