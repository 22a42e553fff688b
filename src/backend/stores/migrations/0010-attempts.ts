import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Counts the failed attempts of a PSU in a row, by application. An empty application stands for all applications. */
export const attemptsMigration = migrationOf(`create table bank.psu_attempts (
  psu_id text not null references bank.psus,
  application_id text not null,
  failures integer not null check (failures >= 0),
  failed_at timestamptz not null,
  primary key (psu_id, application_id)
)`)
