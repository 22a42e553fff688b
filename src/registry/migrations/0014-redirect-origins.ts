import { migrationOf } from '../../platform/database/migration-of.ts'

/** The origins to which the customers of an application may be sent back after an approval. */
export const redirectOrigins = migrationOf(
  `alter table applications add column redirect_origins text[] not null default '{}'`,
)
