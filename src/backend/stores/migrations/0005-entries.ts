import { migrationOf } from '../../../platform/database/migration-of.ts'

/**
 * Numbers the booked entries of an account without gaps and in the order of
 * their days, so that a page of any list is a range of numbers. Adds the columns
 * for delta reports, foreign purchases and standing orders.
 */
export const entriesMigration = migrationOf(`
alter table bank.transactions drop constraint transactions_account_id_sequence_key;
drop index bank.transactions_by_day;
-- Booked entries keep their order; one that was booked late takes the day of the one before it.
update bank.transactions t set sequence = n.sequence, day = n.day
from (
  select id, row_number() over entries as sequence,
    case status when 'booked' then max(day) over entries else day end as day
  from bank.transactions
  window entries as (partition by account_id, status order by sequence)
) n
where n.id = t.id;
alter table bank.transactions
  add constraint transactions_sequence unique (account_id, status, sequence),
  add constraint transactions_in_a_currency check (currency <> 'XXX');
create index transactions_by_day on bank.transactions (account_id, status, day, sequence);

alter table bank.accounts
  -- Number and day of the last booked entry; moved only together with one.
  add column last_sequence integer not null default 0,
  add column last_day date,
  -- Given by the PSU.
  add column display_name text,
  add column details text,
  add column linked_accounts text;
update bank.accounts a set last_sequence = n.sequence, last_day = n.day
from (
  select account_id, max(sequence) as sequence, max(day) as day
  from bank.transactions where status = 'booked' group by account_id
) n
where n.account_id = a.id;
alter table bank.accounts
  add constraint accounts_last_entry check ((last_sequence = 0) = (last_day is null)),
  -- What only gathers sub-accounts has nothing of its own.
  add constraint accounts_aggregate check (currency <> 'XXX' or (booked = 0 and last_sequence = 0));

-- The last report with deltaList that a TPP has read of an account of a PSU: the entries after one up to another.
create table bank.delta_reports (
  application_id text not null,
  psu_id text not null references bank.psus,
  account_id uuid not null references bank.accounts,
  after_sequence integer not null,
  last_sequence integer not null,
  primary key (application_id, psu_id, account_id),
  check (after_sequence <= last_sequence)
);

alter table bank.standing_orders
  add column end_day date check (end_day >= start_day),
  -- Where a day of execution is no banking day.
  add column execution_rule text check (execution_rule in ('preceding', 'following'));

alter table bank.card_accounts
  add column display_name text,
  add column details text;

alter table bank.card_transactions drop constraint card_transactions_card_account_id_sequence_key;
update bank.card_transactions t set sequence = n.sequence
from (
  select id, row_number() over (
    partition by card_account_id, status order by coalesce(booking_day, transaction_day), sequence
  ) as sequence
  from bank.card_transactions
) n
where n.id = t.id;
alter table bank.card_transactions
  add column terminal_id text,
  -- For one unit of the original currency.
  add column exchange_rate numeric check (exchange_rate > 0),
  -- Part of the amount.
  add column markup_fee bank.money,
  add column markup_fee_percentage numeric check (markup_fee_percentage > 0),
  add constraint card_transactions_sequence unique (card_account_id, status, sequence),
  add constraint card_transactions_exchanged check (exchange_rate is null or original_amount is not null),
  add constraint card_transactions_markup check ((markup_fee is null) = (markup_fee_percentage is null));
create index card_transactions_by_day
  on bank.card_transactions (card_account_id, status, booking_day, sequence);
-- What is owed: not invoiced, or invoiced and not due yet.
create index card_transactions_owed on bank.card_transactions (card_account_id, invoiced, due_day);
`)
