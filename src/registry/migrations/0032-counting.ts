import { migrationOf } from '../../platform/database/migration-of.ts'

/** How a process counts: `alone`, or `shared` with others; null: it admits no calls, or is of an earlier release. */
export const counting = migrationOf(
  `alter table processes add column counts text check (counts in ('alone', 'shared'))`,
)
