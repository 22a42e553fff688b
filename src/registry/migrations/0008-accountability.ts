import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * Security events, staff ids, and the chain over the audit (docs/audit.md).
 *
 * The role that serves needs only `select` and `insert` on `audit`,
 * `audit_links` and `audit_checkpoints` (deploy/postgres/roles.sql). So what
 * changes later is in its own tables: `audit_waiting` (entries without a
 * link) and `audit_personal` (what may be erased).
 */
export const accountability = migrationOf(
  `create table security_events (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    event text not null,
    reason text,
    actor text,
    subject text,
    key_id text,
    address text,
    agent text,
    request_id text,
    detail jsonb not null default '{}'
  )`,
  `create index security_events_at on security_events (at)`,
  `create index security_events_event on security_events (event, id)`,
  `create index security_events_actor on security_events (actor, id) where actor is not null`,
  `create index security_events_subject on security_events (subject, id) where subject is not null`,
  `create index security_events_key on security_events (key_id, id) where key_id is not null`,

  // The staff id of an operator. The row stays when the account is deleted: the audit names this id.
  `create table staff (
    id text primary key constraint staff_id_plain check (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
    developer_id uuid not null unique,
    email text not null,
    name text not null,
    added_at timestamptz not null default now()
  )`,
  `insert into staff (id, developer_id, email, name)
    select 'S-' || upper(left(replace(id::text, '-', ''), 12)), id, email, name from developers where is_operator`,

  // Null: an entry without personal facts.
  `alter table audit
    add column request_id text,
    add column personal_digest bytea check (octet_length(personal_digest) = 32)`,

  `create table audit_personal (
    entry_id bigint primary key,
    at timestamptz not null default now(),
    salt bytea not null check (octet_length(salt) = 16),
    facts jsonb not null
  )`,
  `create index audit_personal_at on audit_personal (at)`,

  `create table audit_waiting (entry_id bigint primary key)`,
  `insert into audit_waiting select id from audit`,

  `create table audit_links (
    position bigint primary key check (position > 0),
    entry_id bigint not null constraint audit_links_entry unique,
    hash bytea not null check (octet_length(hash) = 32),
    signature bytea check (octet_length(signature) = 64),
    signer text,
    check ((signature is null) = (signer is null))
  )`,

  // Where retention removed the chain up to \`position\`.
  `create table audit_checkpoints (
    position bigint primary key check (position > 0),
    hash bytea not null check (octet_length(hash) = 32),
    entries bigint not null,
    newest_at timestamptz not null,
    made_at timestamptz not null default now(),
    signature bytea not null check (octet_length(signature) = 64),
    signer text not null
  )`,
)
