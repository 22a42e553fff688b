import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * `processes`: what runs now, and which configuration each process serves.
 * `configurations`: what was active, so that each change is audited once.
 */
export const processes = migrationOf(
  `
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
        asked_by text
      )`,
  `
      create table configurations (
        id bigint generated always as identity primary key,
        at timestamptz not null default now(),
        digest text not null,
        summary jsonb not null
      )`,
)
