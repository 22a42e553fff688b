import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * Developers, applications, subscriptions, keys, the change feed and the audit.
 * The database enforces all rules except the two limits that are settings
 * (applications per developer, keys per application). Code counts these under a
 * lock of the parent's row.
 */
export const registry = migrationOf(
  `create table developers (
    id uuid primary key default gen_random_uuid(),
    email text not null
      constraint developers_email_plain check (email ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+$' and length(email) <= 254),
    name text not null constraint developers_name_length check (length(name) <= 100),
    is_operator boolean not null default false,
    created_at timestamptz not null default now(),
    suspended_at timestamptz
  )`,
  `create unique index developers_email on developers (lower(email))`,

  `create table applications (
    id uuid primary key default gen_random_uuid(),
    developer_id uuid not null references developers on delete cascade,
    name text not null constraint applications_name_length check (length(name) between 1 and 100),
    created_at timestamptz not null default now(),
    suspended_at timestamptz,
    constraint applications_name unique (developer_id, name)
  )`,

  `create table subscriptions (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references applications on delete cascade,
    api text not null check (api <> ''),
    version text not null check (version <> ''),
    plan text not null check (plan <> ''),
    created_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  // Also serves look-ups by application.
  `create unique index subscriptions_active on subscriptions (application_id, api, version) where ended_at is null`,
  `create index subscriptions_application on subscriptions (application_id)`,

  `create table api_keys (
    id text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
    application_id uuid not null references applications on delete cascade,
    name text not null constraint api_keys_name_length check (length(name) between 1 and 100),
    mac bytea not null check (octet_length(mac) = 32),
    pepper_version integer not null check (pepper_version > 0),
    last_four text not null check (length(last_four) = 4),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    replaced_by text references api_keys deferrable initially deferred
  )`,
  // A replaced key still works for its overlap, but its name belongs to the new key.
  `create unique index api_keys_name on api_keys (application_id, name)
    where revoked_at is null and replaced_by is null`,
  `create index api_keys_application on api_keys (application_id)`,
  `create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null`,

  // Without foreign keys: both refer to entities that may be deleted.
  `create table changes (
    id bigint generated always as identity primary key,
    xid xid8 not null default pg_current_xact_id(),
    kind text not null check (kind in ('developer', 'application', 'subscription', 'key', 'counter', 'configuration')),
    action text not null,
    developer_id uuid,
    application_id uuid,
    key_id text,
    detail jsonb not null default '{}',
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create index changes_xid on changes (xid)`,
  `create index changes_created_at on changes (created_at)`,

  `create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null default '{}'
  )`,
  `create index audit_subject on audit (subject, id)`,
)
