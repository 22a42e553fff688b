import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Adds funds checks, postponements and retries of payments, and sign-in and confirmation of authorisations. */
export const settlementMigration = migrationOf(`
alter table bank.psus drop constraint psus_behaviour_check;
alter table bank.psus
  -- Of the organisation the person acts for.
  add column corporate_id text unique,
  add constraint psus_behaviour check (behaviour in (
    'successful', 'rejected', 'blocked', 'serviceBlocked', 'internalLimit', 'cancellationRejected',
    'consentExpired', 'consentRevoked', 'consentSuspended', 'exempted', 'oneMethod', 'confirmation'));

alter table bank.payments drop constraint payments_status_check, drop constraint payments_check;
drop index bank.payments_due;
alter table bank.payments
  -- When time changes it next; null: never again, or not before a decision.
  add column due_at timestamptz,
  -- Settlements that failed because funds were missing.
  add column attempts integer not null default 0 check (attempts >= 0),
  add column rejects_without_funds boolean not null default false,
  -- As last checked; null: never.
  add column funds_available boolean,
  add constraint payments_status check (status in (
    'RCVD', 'ACTC', 'ACFC', 'ACWC', 'ACSP', 'ACSC', 'ACCC', 'RJCT', 'CANC'));
update bank.payments
  set due_at = case status when 'ACTC' then execute_at when 'ACSP' then settle_at end;
alter table bank.payments
  add constraint payments_planned check (status not in ('ACTC', 'ACFC', 'ACWC', 'ACSP', 'ACSC', 'ACCC')
    or (execute_at is not null and settle_at is not null and debtor_account_id is not null)),
  add constraint payments_due check (case
    when status in ('ACTC', 'ACFC', 'ACWC', 'ACSP') then due_at is not null
    else due_at is null or status = 'ACSC' end);
create index payments_due on bank.payments (due_at) where due_at is not null;

alter table bank.authorisations drop constraint authorisations_status_check, drop constraint authorisations_check3;
alter table bank.authorisations
  -- Of the browser in which the PSU has signed in.
  add column session_sha256 bytea,
  -- Accounts the PSU has picked on the bank's page.
  add column picked uuid[],
  add column confirmation_code text,
  add column confirmation_failures integer not null default 0 check (confirmation_failures between 0 and 3),
  add constraint authorisations_status check (status in (
    'received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started', 'unconfirmed',
    'finalised', 'failed', 'exempted')),
  add constraint authorisations_answer check (
    answers_at is null or status in ('started', 'finalised', 'failed')),
  add constraint authorisations_unconfirmed check (
    status <> 'unconfirmed' or (confirmation_code is not null and psu_id is not null));
`)
