import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Gives each authorisation a random key of 244 bits, which signs the forms of its pages in every process. */
export const formKeysMigration =
  migrationOf(`alter table bank.authorisations add column form_key bytea not null
      default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`)
