import { migrationOf } from '../../platform/database/migration-of.ts'

/** `at` is the beginning of the step. */
function usageTable(name: string): string[] {
  return [
    `create table ${name} (
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
      primary key (application_id, at, api, version, operation)
    )`,
    `create index ${name}_at on ${name} (at)`,
  ]
}

/**
 * Outcomes of calls: counts by minute, hour and day, and the latest calls one
 * by one. Times are UTC. An empty `api`, `version` or `operation` of a count
 * means that the call was refused before it was known.
 *
 * Deleting an application deletes all its rows.
 */
export const usage = migrationOf(
  ...usageTable('usage_minutes'),
  ...usageTable('usage_hours'),
  ...usageTable('usage_days'),

  `create table call_records (
    id bigint generated always as identity,
    application_id uuid not null references applications on delete cascade,
    at timestamptz not null,
    request_id uuid not null,
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
    remaining integer,
    resets_at timestamptz,
    total_ms real not null,
    upstream_ms real,
    primary key (application_id, at, id)
  )`,
)
