import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What identifies a certificate and its holder cannot change, for blocks.
 * Earlier certificates and blocks have none and are identified by their thumbprints.
 */
export const signedDigests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `alter table certificates
    add column signed_digest text check (signed_digest ~ '^[A-Za-z0-9_-]{43}$')`,
  `alter table blocked_certificates
    add column signed_digest text unique check (signed_digest ~ '^[A-Za-z0-9_-]{43}$')`,
]
