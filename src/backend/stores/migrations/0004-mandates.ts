import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Adds collections of mandates, expiry without collections, and approval of cancellations. */
export const mandateMigration = migrationOf(`
-- The last day on which it can be collected: the request's; once approved, 36 months after its last use at most.
update bank.mandates set ends_on = least(ends_on, (last_action_day + interval '36 months')::date)
  where status in ('valid', 'suspended');
alter table bank.mandates
  add column collected_on date,
  add constraint mandates_end check (status not in ('valid', 'suspended') or ends_on is not null),
  -- What has ended says why.
  add constraint mandates_reason check (
    (status in ('rejected', 'revokedByPsu', 'expired', 'terminatedByTpp')) = (reason is not null)),
  add constraint mandates_collected check (
    collected_on is null or (status not in ('received', 'rejected') and collected_on <= ends_on));

alter table bank.transactions
  -- The creditor's reference of the mandate it was collected by.
  add column mandate_id text check (length(mandate_id) between 1 and 35),
  add constraint transactions_origin check (
    mandate_id is null or (payment_id is null and amount < 0));

alter table bank.authorisations drop constraint authorisations_check1;
alter table bank.authorisations
  add constraint authorisations_cancellable check (purpose = 'creation' or consent_id is null);
drop index bank.authorisations_mandate;
create index authorisations_of_mandate on bank.authorisations (mandate_id)
  where mandate_id is not null;
create unique index authorisations_mandate on bank.authorisations (mandate_id)
  where purpose = 'creation';
create unique index authorisations_mandate_cancellation on bank.authorisations (mandate_id)
  where purpose = 'cancellation' and status not in ('finalised', 'failed', 'exempted');
`)
