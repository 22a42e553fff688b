import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * Certificates of applications, blocked certificates, and the authority of the
 * sandbox. No constraint limits how many certificates an application has for
 * one use: the code counts them while it locks the application's row.
 */
export const certificates = migrationOf(
  `create table certificates (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references applications on delete cascade,
    use text not null check (use in ('tls', 'signing')),
    name text not null constraint certificates_name_length check (length(name) between 1 and 100),
    thumbprint text not null check (thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
    subject text not null,
    issuer text not null,
    roles jsonb not null default '[]',
    authorisation_number text,
    valid_from timestamptz not null,
    valid_until timestamptz not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    -- Several applications may have one certificate: a company may have several applications, and certificates are
    -- public, so the first to add one proves nothing.
    constraint certificates_twice unique (application_id, use, thumbprint)
  )`,

  `create table blocked_certificates (
    thumbprint text primary key check (thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
    reason text not null,
    blocked_at timestamptz not null default now()
  )`,

  // One row: the key is sealed with the secret that protects the API keys.
  `create table sandbox_authority (
    is_only boolean primary key default true check (is_only),
    certificate bytea not null,
    sealed_key bytea not null,
    revocation_list bytea not null,
    list_number bigint not null,
    list_until timestamptz not null,
    created_at timestamptz not null default now()
  )`,
  `create table sandbox_revocations (
    serial text primary key,
    revoked_at timestamptz not null default now(),
    valid_until timestamptz not null
  )`,

  `alter table changes drop constraint changes_kind_check`,
  `alter table changes add constraint changes_kind_check check (kind in
    ('developer', 'application', 'subscription', 'key', 'counter', 'configuration', 'certificate'))`,
)
