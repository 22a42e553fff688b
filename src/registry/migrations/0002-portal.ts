import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * Tables of the portal: passwords, sessions, mail links, the outbox, the
 * operator's switches and limit overrides. Secrets are stored as hashes and
 * mails encrypted, so a reader of these tables can neither sign in nor open a
 * link.
 */
export const portal = migrationOf(
  // Developers created by a command have no password; a reset link lets them set one.
  `alter table developers
    add column password_hash text,
    add column failed_sign_ins integer not null default 0 check (failed_sign_ins >= 0),
    add column approved_at timestamptz default now(),
    add column mails_keys boolean not null default true,
    add column mails_limits boolean not null default true,
    add column mails_deprecations boolean not null default true`,

  `create table sessions (
    id_hash bytea primary key check (octet_length(id_hash) = 32),
    developer_id uuid not null references developers on delete cascade,
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index sessions_developer on sessions (developer_id)`,
  `create index sessions_expires_at on sessions (expires_at)`,

  // A token without a developer belongs to a sign-up or to an unknown address: a reset for an unknown address leaves
  // the same traces as one for a known address.
  `create table mail_tokens (
    hash bytea primary key check (octet_length(hash) = 32),
    purpose text not null check (purpose in ('sign-up', 'password-reset', 'email-change')),
    developer_id uuid references developers on delete cascade,
    email text not null,
    name text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  `create index mail_tokens_email on mail_tokens (lower(email))`,
  `create index mail_tokens_developer on mail_tokens (developer_id)`,
  `create index mail_tokens_expires_at on mail_tokens (expires_at)`,

  `create table mails (
    id bigint generated always as identity primary key,
    sealed bytea not null,
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    created_at timestamptz not null default now()
  )`,
  `create index mails_due_at on mails (due_at)`,

  // The reminders of the end of a version that each developer got.
  `create table deprecation_mails (
    developer_id uuid not null references developers on delete cascade,
    api text not null,
    version text not null,
    milestone text not null,
    written_at timestamptz not null default now(),
    primary key (developer_id, api, version, milestone)
  )`,

  // The operator's switches and the cursors of jobs, one row each.
  `create table portal_state (
    name text primary key,
    value text not null,
    changed_at timestamptz not null default now()
  )`,

  `create table limit_overrides (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references applications on delete cascade,
    api text not null check (api <> ''),
    version text not null check (version <> ''),
    limit_name text not null check (limit_name <> ''),
    calls integer not null check (calls > 0),
    reason text not null constraint limit_overrides_reason_length check (length(reason) between 1 and 500),
    created_by text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz
  )`,
  // One active override per limit; creating one ends those that have expired.
  `create unique index limit_overrides_active on limit_overrides (application_id, api, version, limit_name)
    where ended_at is null`,

  // For an operator's search by actor; an index by subject already exists.
  `create index audit_actor on audit (actor, id)`,
)
