import { migrationOf } from '../../platform/database/migration-of.ts'

const kinds = `'{limits,expiry,deprecations}'`

/**
 * Alerts of applications: which ones a developer wants by email and webhook,
 * what was reported already, webhooks and their deliveries; and keys that may
 * replace themselves.
 */
export const alerts = migrationOf(
  `alter table applications
    add column alert_mails text[] not null default ${kinds} check (alert_mails <@ ${kinds}),
    add column alert_hooks text[] not null default ${kinds} check (alert_hooks <@ ${kinds})`,
  `alter table developers add column mails_expiry boolean not null default true`,
  `alter table api_keys add column may_replace_itself boolean not null default false`,

  // The secret is sealed with a key of the portal: a reader of this table cannot sign.
  `create table webhooks (
    application_id uuid primary key references applications on delete cascade,
    url text not null check (length(url) between 1 and 500),
    sealed_secret bytea not null,
    created_at timestamptz not null default now()
  )`,

  // Without a due time there is nothing more to try.
  `create table webhook_deliveries (
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
  )`,
  `create index webhook_deliveries_application on webhook_deliveries (application_id, created_at desc, id)`,
  `create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null`,

  // A row is a threshold that was reached in a window. Another limit in the same window has its own thresholds.
  `create table limit_alerts (
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
  )`,
  `create index limit_alerts_waiting on limit_alerts (application_id) where mail_waits`,
  `create index limit_alerts_resets_at on limit_alerts (resets_at)`,
  // When each application's last email about limits was written.
  `create table limit_alert_mails (
    application_id uuid primary key references applications on delete cascade,
    written_at timestamptz not null
  )`,

  // A row is a warning that was given. Another end has its own warnings.
  `create table expiry_alerts (
    application_id uuid not null references applications on delete cascade,
    subject text not null,
    expires_at timestamptz not null,
    days smallint not null check (days in (30, 7, 1)),
    primary key (application_id, subject, expires_at, days)
  )`,
)
