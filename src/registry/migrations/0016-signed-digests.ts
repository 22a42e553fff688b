import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * What identifies a certificate and its holder cannot change, for blocks.
 * Earlier certificates and blocks have none and are identified by their thumbprints.
 */
export const signedDigests = migrationOf(
  `alter table certificates
    add column signed_digest text check (signed_digest ~ '^[A-Za-z0-9_-]{43}$')`,
  `alter table blocked_certificates
    add column signed_digest text unique check (signed_digest ~ '^[A-Za-z0-9_-]{43}$')`,
)
