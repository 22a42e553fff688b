import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * When failed sign-ins began, for a pause that ends by itself; allowed
 * addresses of keys; an index of keys that no longer work; and the changes of
 * keys that wait for a digest.
 */
export const hardening = migrationOf(
  `alter table developers add column failed_since timestamptz`,

  // Addresses or CIDRs; empty: any address.
  `alter table api_keys add column allowed_addresses text[] not null default '{}'`,
  // For deleting keys a while after they stopped working.
  `create index api_keys_over on api_keys ((least(revoked_at, expires_at)))`,

  // The hour in which a developer gets a letter for each change of a key, and the changes after too many.
  `create table key_digests (
    developer_id uuid primary key references developers on delete cascade,
    began_at timestamptz not null default now(),
    letters integer not null default 0,
    changes jsonb not null default '[]',
    more integer not null default 0
  )`,
)
