import { migrationOf } from '../../platform/database/migration-of.ts'

/** Developers ask for higher limits, and operators answer. */
export const limitRequests = migrationOf(
  `create table limit_requests (
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
  )`,
  `create unique index limit_requests_open on limit_requests (application_id, api, version, limit_name)
    where state = 'open'`,
  `create index limit_requests_application on limit_requests (application_id, created_at)`,
  `create index limit_requests_waiting on limit_requests (created_at) where state = 'open'`,
)
