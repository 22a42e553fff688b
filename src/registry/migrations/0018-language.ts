import { migrationOf } from '../../platform/database/migration-of.ts'

/** The language of mails to a developer; null: not known yet. */
export const language = migrationOf(`alter table developers
      add column language text check (language in ('en', 'he'))`)
