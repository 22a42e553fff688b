-- The tables of registry and portal, as release 0.2.0 created them. The database enforces all rules except two limits that are settings:
-- applications per developer and keys per application. Code counts these under a lock of the parent's row.

-- # Developers and operators

-- An account has a password or an identity at an OpenID Connect provider, never both: a person who leaves the company must not keep a second
-- way in. Developers created by a command have neither; a reset link lets them set a password.
create table developers (
  id uuid primary key default gen_random_uuid(),
  email text not null
    constraint developers_email_plain check (email ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+$' and length(email) <= 254),
  name text not null constraint developers_name_length check (length(name) <= 100),
  is_operator boolean not null default false,
  created_at timestamptz not null default now(),
  suspended_at timestamptz,
  approved_at timestamptz default now(),
  password_hash text,
  failed_sign_ins integer not null default 0 check (failed_sign_ins >= 0),
  failed_since timestamptz,
  failed_codes integer not null default 0 check (failed_codes >= 0),
  oidc_issuer text,
  oidc_subject text,
  mails_limits boolean not null default true,
  mails_deprecations boolean not null default true,
  mails_expiry boolean not null default true,
  language text check (language in ('en', 'he')),
  constraint developers_oidc unique (oidc_issuer, oidc_subject),
  constraint developers_oidc_whole check ((oidc_issuer is null) = (oidc_subject is null)),
  constraint developers_one_way_in check (oidc_subject is null or password_hash is null)
);
create unique index developers_email on developers (lower(email));

-- The staff id of an operator. The row stays when the account is deleted: the audit names this id.
create table staff (
  id text primary key constraint staff_id_plain check (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  developer_id uuid not null unique,
  email text not null,
  name text not null,
  added_at timestamptz not null default now()
);

-- # Applications, their subscriptions and keys

create table applications (
  id uuid primary key default gen_random_uuid(),
  developer_id uuid not null references developers on delete cascade,
  name text not null constraint applications_name_length check (length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  suspended_at timestamptz,
  strict boolean not null default false,
  redirect_origins text[] not null default '{}',
  alert_mails text[] not null default '{limits,expiry,deprecations}' check (alert_mails <@ '{limits,expiry,deprecations}'),
  alert_hooks text[] not null default '{limits,expiry,deprecations}' check (alert_hooks <@ '{limits,expiry,deprecations}'),
  constraint applications_name unique (developer_id, name)
);

-- Deleted applications that must still be reported to the bank.
create table deleted_applications (
  application_id uuid primary key,
  deleted_at timestamptz not null default now(),
  attempts integer not null default 0,
  due_at timestamptz not null default now()
);
create index deleted_applications_due on deleted_applications (due_at);

create table subscriptions (
  id uuid primary key default gen_random_uuid(),
  application_id uuid not null references applications on delete cascade,
  api text not null check (api <> ''),
  version text not null check (version <> ''),
  plan text not null check (plan <> ''),
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index subscriptions_active on subscriptions (application_id, api, version) where ended_at is null;
create index subscriptions_application on subscriptions (application_id);

create table api_keys (
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
  replaced_by text references api_keys deferrable initially deferred,
  -- Addresses or CIDRs; empty: any address.
  allowed_addresses text[] not null default '{}',
  may_replace_itself boolean not null default false
);
-- A replaced key still works for its overlap, but its name belongs to the new key.
create unique index api_keys_name on api_keys (application_id, name) where revoked_at is null and replaced_by is null;
create index api_keys_application on api_keys (application_id);
create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null;
-- For deleting keys a while after they stopped working.
create index api_keys_over on api_keys ((least(revoked_at, expires_at)));

create table limit_overrides (
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
);
-- One active override per limit; creating one ends those that have expired.
create unique index limit_overrides_active on limit_overrides (application_id, api, version, limit_name) where ended_at is null;

-- Developers ask for higher limits, and operators answer.
create table limit_requests (
  id uuid primary key default gen_random_uuid(),
  application_id uuid not null references applications on delete cascade,
  api text not null check (api <> ''),
  version text not null check (version <> ''),
  limit_name text not null check (limit_name <> ''),
  calls integer not null check (calls > 0),
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz not null default now(),
  state text not null default 'open' check (state in ('open', 'granted', 'declined', 'withdrawn')),
  closed_at timestamptz check ((closed_at is null) = (state = 'open')),
  granted_calls integer,
  granted_until timestamptz,
  answer text check (length(answer) between 1 and 500)
);
create unique index limit_requests_open on limit_requests (application_id, api, version, limit_name) where state = 'open';
create index limit_requests_application on limit_requests (application_id, created_at);
create index limit_requests_waiting on limit_requests (created_at) where state = 'open';

-- # Certificates

-- No constraint limits how many certificates an application has for one use: the code counts them while it locks the application's row.
create table certificates (
  id uuid primary key default gen_random_uuid(),
  application_id uuid not null references applications on delete cascade,
  use text not null check (use in ('tls', 'signing')),
  name text not null constraint certificates_name_length check (length(name) between 1 and 100),
  thumbprint text not null check (thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
  -- What its authority signed. Unlike the thumbprint, the holder cannot change it.
  signed_digest text not null check (signed_digest ~ '^[A-Za-z0-9_-]{43}$'),
  subject text not null,
  issuer text not null,
  roles jsonb not null default '[]',
  authorisation_number text,
  valid_from timestamptz not null,
  valid_until timestamptz not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- Several applications may have one certificate: a company may have several applications, and certificates are public, so the first to add
  -- one proves nothing.
  constraint certificates_twice unique (application_id, use, thumbprint)
);

create table blocked_certificates (
  thumbprint text primary key check (thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
  signed_digest text not null unique check (signed_digest ~ '^[A-Za-z0-9_-]{43}$'),
  reason text not null,
  blocked_at timestamptz not null default now()
);

-- One row: the key is sealed with the secret that protects the API keys.
create table sandbox_authority (
  is_only boolean primary key default true check (is_only),
  certificate bytea not null,
  sealed_key bytea not null,
  revocation_list bytea not null,
  list_number bigint not null,
  list_until timestamptz not null,
  created_at timestamptz not null default now()
);

-- The list keeps only the newest of each application.
create table sandbox_revocations (
  serial text primary key,
  application_id uuid not null references applications on delete cascade,
  revoked_at timestamptz not null default now(),
  valid_until timestamptz not null
);

-- # The portal: sessions, second factors, mails

-- Secrets are stored as hashes or encrypted, and a passkey's key is public. A reader of these tables can neither sign in nor open a link.

create table sessions (
  id_hash bytea primary key check (octet_length(id_hash) = 32),
  id uuid not null default gen_random_uuid(),
  developer_id uuid not null references developers on delete cascade,
  agent text not null default '' constraint sessions_agent_length check (length(agent) <= 256),
  factor text check (factor in ('totp', 'passkey', 'recovery-code', 'oidc')),
  created_at timestamptz not null default now(),
  proved_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index sessions_id on sessions (id);
create index sessions_developer on sessions (developer_id);
create index sessions_expires_at on sessions (expires_at);

create table totp_secrets (
  developer_id uuid primary key references developers on delete cascade,
  sealed bytea not null,
  last_step bigint not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);

create table passkeys (
  id uuid primary key default gen_random_uuid(),
  developer_id uuid not null references developers on delete cascade,
  credential_id text not null constraint passkeys_credential unique check (length(credential_id) between 1 and 1400),
  public_key bytea not null,
  counter bigint not null,
  transports text not null,
  name text not null constraint passkeys_name_length check (length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_developer on passkeys (developer_id);

create table recovery_codes (
  hash bytea primary key check (octet_length(hash) = 32),
  developer_id uuid not null references developers on delete cascade
);
create index recovery_codes_developer on recovery_codes (developer_id);

create table factor_challenges (
  hash bytea primary key check (octet_length(hash) = 32),
  developer_id uuid not null references developers on delete cascade,
  purpose text not null check (purpose in ('sign-in', 'step-up', 'totp', 'passkey', 'enrolment')),
  nonce text not null,
  sealed_secret bytea,
  password_hash text,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index factor_challenges_developer on factor_challenges (developer_id);
create index factor_challenges_expires_at on factor_challenges (expires_at);

-- A token without a developer belongs to a sign-up or to an unknown address: a reset for an unknown address leaves the same traces as one
-- for a known address.
create table mail_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  purpose text not null check (purpose in ('sign-up', 'password-reset', 'email-change', 'enrolment')),
  developer_id uuid references developers on delete cascade,
  email text not null,
  name text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_tokens_email on mail_tokens (lower(email));
create index mail_tokens_developer on mail_tokens (developer_id);
create index mail_tokens_expires_at on mail_tokens (expires_at);

create table accepted_terms (
  developer_id uuid not null references developers on delete cascade,
  version text not null,
  accepted_at timestamptz not null default now(),
  primary key (developer_id, version)
);

create table mails (
  id bigint generated always as identity primary key,
  sealed bytea not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index mails_due_at on mails (due_at);

-- The reminders of the end of a version that each developer got.
create table deprecation_mails (
  developer_id uuid not null references developers on delete cascade,
  api text not null,
  version text not null,
  milestone text not null,
  written_at timestamptz not null default now(),
  primary key (developer_id, api, version, milestone)
);

-- The hour in which a developer gets a letter for each change of a key, and the changes after too many.
create table key_digests (
  developer_id uuid primary key references developers on delete cascade,
  began_at timestamptz not null default now(),
  letters integer not null default 0,
  changes jsonb not null default '[]',
  more integer not null default 0
);

-- The operator's switches and the cursors of jobs, one row each.
create table portal_state (
  name text primary key,
  value text not null,
  changed_at timestamptz not null default now()
);

-- # Alerts

-- The secret is sealed with a key of the portal: a reader of this table cannot sign.
create table webhooks (
  application_id uuid primary key references applications on delete cascade,
  url text not null check (length(url) between 1 and 500),
  sealed_secret bytea not null,
  created_at timestamptz not null default now()
);

-- Without a due time there is nothing more to try.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  application_id uuid not null references webhooks on delete cascade,
  type text not null,
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  tried_since timestamptz not null default now(),
  tried_at timestamptz,
  due_at timestamptz default now(),
  delivered_at timestamptz,
  response_status smallint,
  failure text
);
create index webhook_deliveries_application on webhook_deliveries (application_id, created_at desc, id);
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;

-- A row is a threshold that was reached in a window. Another limit in the same window has its own thresholds.
create table limit_alerts (
  application_id uuid not null references applications on delete cascade,
  bucket text not null,
  window_number bigint not null,
  limit_calls integer not null,
  threshold smallint not null check (threshold in (80, 100)),
  api text not null,
  version text not null,
  operation text,
  used bigint not null,
  resets_at timestamptz not null,
  mail_waits boolean not null,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, bucket, window_number, limit_calls, threshold)
);
create index limit_alerts_waiting on limit_alerts (application_id) where mail_waits;
create index limit_alerts_resets_at on limit_alerts (resets_at);

-- When each application's last email about limits was written.
create table limit_alert_mails (
  application_id uuid primary key references applications on delete cascade,
  written_at timestamptz not null
);

-- A row is a warning that was given. Another end has its own warnings.
create table expiry_alerts (
  application_id uuid not null references applications on delete cascade,
  subject text not null,
  expires_at timestamptz not null,
  days smallint not null check (days in (30, 7, 1)),
  primary key (application_id, subject, expires_at, days)
);

-- # Usage

-- Counts of calls by minute, hour and day (UTC); `at` is the beginning of the step. An empty `api`, `version` or `operation` means that the
-- call was refused before it was known.
create table usage_minutes (
  application_id uuid not null references applications on delete cascade,
  at timestamptz not null,
  api text not null,
  version text not null,
  operation text not null,
  admitted bigint not null,
  refused bigint not null,
  refused_by_limit bigint not null,
  errors bigint not null,
  duration_ms_sum double precision not null,
  duration_ms_max double precision not null,
  durations bigint[] not null default '{}',
  answered_2xx bigint not null default 0,
  answered_3xx bigint not null default 0,
  answered_4xx bigint not null default 0,
  answered_429 bigint not null default 0,
  answered_5xx bigint not null default 0,
  unanswered bigint not null default 0,
  rehearsed bigint not null default 0,
  rehearsed_refused bigint not null default 0,
  primary key (application_id, at, api, version, operation)
);
create index usage_minutes_at on usage_minutes (at);
create table usage_hours (
  like usage_minutes including defaults,
  primary key (application_id, at, api, version, operation),
  foreign key (application_id) references applications on delete cascade
);
create index usage_hours_at on usage_hours (at);
create table usage_days (
  like usage_minutes including defaults,
  primary key (application_id, at, api, version, operation),
  foreign key (application_id) references applications on delete cascade
);
create index usage_days_at on usage_days (at);

-- The latest calls one by one.
create table call_records (
  id bigint generated always as identity,
  application_id uuid not null references applications on delete cascade,
  at timestamptz not null,
  request_id uuid not null,
  -- 32 hexadecimal digits.
  trace_id text not null,
  key_id text not null,
  method text not null,
  api text,
  version text,
  operation text,
  outcome text not null,
  detail text,
  decision text,
  status smallint not null,
  limit_name text,
  limit_scope text,
  limit_calls integer,
  window_seconds integer,
  calendar_window text,
  remaining integer,
  resets_at timestamptz,
  total_ms real not null,
  upstream_ms real,
  -- The answer that the call asked for as a drill; null: a call.
  drill text,
  primary key (application_id, at, id)
);

-- # Availability of API versions (EBA/GL/2018/07)

-- Figures by minute and hour (UTC, by arrival).
create table availability_minutes (
  at timestamptz not null,
  api text not null,
  version text not null,
  service text not null,
  requests bigint not null,
  errors bigint not null,
  answers bigint not null,
  first_byte_ms_sum double precision not null,
  last_byte_ms_sum double precision not null,
  primary key (at, api, version, service)
);
create table availability_hours (like availability_minutes, primary key (at, api, version, service));

-- What gateways write while calls are not answered. A slice lives for a quarter of an hour. A `second` is counted since 1970.
create table availability_slices (
  second bigint not null,
  api text not null,
  version text not null,
  gateway uuid not null,
  part integer not null,
  unanswered text,
  answered text,
  primary key (second, api, version, gateway, part)
);
create index availability_slices_unanswered on availability_slices (api, version, second) where unanswered is not null;

-- Outages computed from the slices.
create table availability_outages (
  id uuid primary key default gen_random_uuid(),
  api text not null,
  version text not null,
  from_at timestamptz not null,
  until_at timestamptz,
  answered_call_at timestamptz,
  series jsonb not null,
  last_call jsonb not null,
  calls bigint not null,
  applications jsonb not null,
  unique (api, version, from_at)
);
create table availability_outage_seconds (
  outage_id uuid not null references availability_outages on delete cascade,
  second bigint not null,
  calls integer not null,
  first_id text not null,
  primary key (outage_id, second)
);

-- Where the rule stands after the last slice that became part of an outage.
create table availability_rule (
  api text not null,
  version text not null,
  pending jsonb not null,
  open_outage_id uuid references availability_outages,
  primary key (api, version)
);

-- Empty `api`: every API. Empty `version`: every version of the API.
create table maintenance_windows (
  id uuid primary key default gen_random_uuid(),
  api text not null,
  version text not null,
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  reason text not null,
  announced_at timestamptz not null,
  announced_by text not null,
  withdrawn_at timestamptz
);

-- # The change feed, the audit and security events

-- Without foreign keys: both refer to entities that may be deleted.
create table changes (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  kind text not null
    check (kind in ('developer', 'application', 'subscription', 'key', 'counter', 'configuration', 'certificate')),
  action text not null,
  developer_id uuid,
  application_id uuid,
  key_id text,
  detail jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index changes_xid on changes (xid);
create index changes_created_at on changes (created_at);

-- The audit and the chain over it (docs/audit.md). The roles that serve need only `select` and `insert` on `audit`, `audit_links` and
-- `audit_checkpoints`. So what changes later is in its own tables: `audit_waiting` (entries without a link) and `audit_personal` (what may
-- be erased).
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}',
  request_id text,
  -- Null: an entry without personal facts.
  personal_digest bytea check (octet_length(personal_digest) = 32)
);
create index audit_subject on audit (subject, id);
create index audit_actor on audit (actor, id);

create table audit_personal (
  entry_id bigint primary key,
  at timestamptz not null default now(),
  salt bytea not null check (octet_length(salt) = 16),
  facts jsonb not null
);
create index audit_personal_at on audit_personal (at);

create table audit_waiting (entry_id bigint primary key);

create table audit_links (
  position bigint primary key check (position > 0),
  entry_id bigint not null constraint audit_links_entry unique,
  hash bytea not null check (octet_length(hash) = 32),
  signature bytea check (octet_length(signature) = 64),
  signer text,
  check ((signature is null) = (signer is null))
);

-- Where retention removed the chain up to `position`.
create table audit_checkpoints (
  position bigint primary key check (position > 0),
  hash bytea not null check (octet_length(hash) = 32),
  entries bigint not null,
  newest_at timestamptz not null,
  made_at timestamptz not null default now(),
  signature bytea not null check (octet_length(signature) = 64),
  signer text not null
);

create table security_events (
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
);
create index security_events_at on security_events (at);
create index security_events_event on security_events (event, id);
create index security_events_actor on security_events (actor, id) where actor is not null;
create index security_events_subject on security_events (subject, id) where subject is not null;
create index security_events_key on security_events (key_id, id) where key_id is not null;

-- # Processes and what they serve

create table processes (
  id uuid primary key,
  roles text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  generation integer not null,
  digest text not null,
  loaded_at timestamptz not null default now(),
  judged integer not null,
  refused text,
  reloads_asked integer not null default 0,
  asked_by text,
  -- How it counts calls; null: it admits no calls.
  counts text check (counts in ('alone', 'shared'))
);

-- What processes report to `tollgate prove --window`; without a proof: what a process that ended had admitted.
create table count_samples (
  proof uuid,
  process uuid not null,
  at timestamptz not null default now(),
  host text not null,
  pid integer not null,
  share double precision not null,
  samples jsonb not null
);
create index count_samples_proof on count_samples (proof);

-- What was active, so that each change is audited once.
create table configurations (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  digest text not null,
  summary jsonb not null
);

-- What gateways have published, so that a command can compare files with it.
create table published_configurations (
  digest text primary key,
  content bytea not null,
  published_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
