import { migrationOf } from '../../platform/database/migration-of.ts'

function figures(name: string): string {
  return `create table ${name} (
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
  )`
}

/**
 * Availability of API versions (EBA/GL/2018/07): figures by minute and hour (UTC,
 * by arrival), slices that gateways write while calls are not answered, the
 * outages computed from them, and announced maintenance. A slice lives for a
 * quarter of an hour. A `second` is counted since 1970.
 */
export const availability = migrationOf(
  figures('availability_minutes'),
  figures('availability_hours'),

  `create table availability_slices (
    second bigint not null,
    api text not null,
    version text not null,
    gateway uuid not null,
    part integer not null,
    unanswered text,
    answered text,
    primary key (second, api, version, gateway, part)
  )`,
  `create index availability_slices_unanswered on availability_slices (api, version, second)
    where unanswered is not null`,

  `create table availability_outages (
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
  )`,
  `create table availability_outage_seconds (
    outage_id uuid not null references availability_outages on delete cascade,
    second bigint not null,
    calls integer not null,
    first_id text not null,
    primary key (outage_id, second)
  )`,
  // Where the rule stands after the last slice that became part of an outage.
  `create table availability_rule (
    api text not null,
    version text not null,
    pending jsonb not null,
    open_outage_id uuid references availability_outages,
    primary key (api, version)
  )`,

  // Empty `api`: every API. Empty `version`: every version of the API.
  `create table maintenance_windows (
    id uuid primary key default gen_random_uuid(),
    api text not null,
    version text not null,
    from_at timestamptz not null,
    until_at timestamptz not null check (until_at > from_at),
    reason text not null,
    announced_at timestamptz not null,
    announced_by text not null,
    withdrawn_at timestamptz
  )`,
)
