import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * Sessions that can be listed and proved again, second factors and their
 * challenges, and the enrolment link of operators. A reader of these tables can
 * pass no challenge: secrets are encrypted, codes and tokens hashed, and a
 * passkey's key is public.
 */
export const people = migrationOf(
  `alter table sessions
    add column id uuid not null default gen_random_uuid(),
    add column agent text not null default '' constraint sessions_agent_length check (length(agent) <= 256),
    add column factor text check (factor in ('totp', 'passkey', 'recovery-code')),
    add column proved_at timestamptz not null default now()`,
  `create unique index sessions_id on sessions (id)`,
  `update sessions set proved_at = created_at`,
  // They began with a password alone.
  `delete from sessions using developers where developers.id = developer_id and is_operator`,

  // Wrong codes since the last right one.
  `alter table developers add column failed_codes integer not null default 0 check (failed_codes >= 0)`,

  `create table totp_secrets (
    developer_id uuid primary key references developers on delete cascade,
    sealed bytea not null,
    last_step bigint not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,

  `create table passkeys (
    id uuid primary key default gen_random_uuid(),
    developer_id uuid not null references developers on delete cascade,
    credential_id text not null constraint passkeys_credential unique check (length(credential_id) between 1 and 1400),
    public_key bytea not null,
    counter bigint not null,
    transports text not null,
    name text not null constraint passkeys_name_length check (length(name) between 1 and 100),
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  `create index passkeys_developer on passkeys (developer_id)`,

  `create table recovery_codes (
    hash bytea primary key check (octet_length(hash) = 32),
    developer_id uuid not null references developers on delete cascade
  )`,
  `create index recovery_codes_developer on recovery_codes (developer_id)`,

  `create table factor_challenges (
    hash bytea primary key check (octet_length(hash) = 32),
    developer_id uuid not null references developers on delete cascade,
    purpose text not null check (purpose in ('sign-in', 'step-up', 'totp', 'passkey', 'enrolment')),
    nonce text not null,
    sealed_secret bytea,
    password_hash text,
    tries integer not null default 0,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index factor_challenges_developer on factor_challenges (developer_id)`,
  `create index factor_challenges_expires_at on factor_challenges (expires_at)`,

  `alter table mail_tokens
    drop constraint mail_tokens_purpose_check,
    add constraint mail_tokens_purpose_check check (purpose in ('sign-up', 'password-reset', 'email-change', 'enrolment'))`,
)
