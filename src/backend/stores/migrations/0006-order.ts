import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Lets everybody see at once what is due next, and of what is due at the same
 * instant which was made first. An entry of a collection may be the creditor's.
 */
export const orderMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
alter table bank.authorisations add column number bigint generated always as identity;
alter table bank.payments add column number bigint generated always as identity;
create index authorisations_answers on bank.authorisations (answers_at)
  where status = 'started';
alter table bank.transactions drop constraint transactions_origin;
alter table bank.transactions
  add constraint transactions_origin check (mandate_id is null or payment_id is null)`.execute(
      database,
    )
  },
}
