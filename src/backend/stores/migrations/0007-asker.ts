import { migrationOf } from '../../../platform/database/migration-of.ts'

/**
 * Stores who asks for an approval: the name that the gateway signed, and the
 * brand that the call claims. Allows a redirect without an address, because the
 * sandbox has a page for that.
 */
export const askerMigration = migrationOf(
  // The database named the constraint, so it is found by its definition.
  `
alter table bank.authorisations add column application_name text;
alter table bank.authorisations add column brand text;
do $$
declare needless text;
begin
  select conname into strict needless from pg_constraint
    where conrelid = 'bank.authorisations'::regclass and contype = 'c'
      and pg_get_constraintdef(oid) like '%redirect_uri IS NOT NULL%';
  execute format('alter table bank.authorisations drop constraint %I', needless);
end $$;`,
)
