import { migrationOf } from '../../../platform/database/migration-of.ts'

/**
 * Indexes the next device answers, and numbers authorisations and payments, so
 * that those due at the same instant keep their order of creation.
 * An entry of a collection may be the creditor's.
 */
export const orderMigration = migrationOf(`
${numbered('authorisations')}
${numbered('payments')}
create index authorisations_answers on bank.authorisations (answers_at)
  where status = 'started';
alter table bank.transactions drop constraint transactions_origin;
alter table bank.transactions
  add constraint transactions_origin check (mandate_id is null or payment_id is null)`)

/** Numbers the rows in order of creation; the table stores them in order of the last change. */
function numbered(table: string): string {
  return `
alter table bank.${table} add column number bigint;
update bank.${table} as t set number = o.place
  from (select id, row_number() over (order by created_at, id) as place from bank.${table}) as o
  where o.id = t.id;
alter table bank.${table} alter column number set not null;
alter table bank.${table} alter column number add generated always as identity;
select setval(pg_get_serial_sequence('bank.${table}', 'number'), coalesce(max(number), 0) + 1, false)
  from bank.${table};`
}
