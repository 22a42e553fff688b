import { migrationOf } from '../../platform/database/migration-of.ts'

/** Deleted applications that must still be reported to the bank. */
export const erasure = migrationOf(
  `create table deleted_applications (
    application_id uuid primary key,
    deleted_at timestamptz not null default now(),
    attempts integer not null default 0,
    due_at timestamptz not null default now()
  )`,
  `create index deleted_applications_due on deleted_applications (due_at)`,
)
