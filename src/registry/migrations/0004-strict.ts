import { migrationOf } from '../../platform/database/migration-of.ts'

/** Applications whose calls the bank accepts only when signed. */
export const strict = migrationOf(
  `alter table applications add column strict boolean not null default false`,
)
