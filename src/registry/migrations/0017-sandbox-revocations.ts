import { migrationOf } from '../../platform/database/migration-of.ts'

/** The application whose test certificate was revoked, so that the list keeps only the newest of each application. */
export const sandboxRevocations = migrationOf(`alter table sandbox_revocations
      add column application_id uuid references applications on delete cascade`)
