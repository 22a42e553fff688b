import { migrationOf } from '../../../platform/database/migration-of.ts'

/** Creates the schema of the bank. */
export const bankMigration = migrationOf(`
-- Everything the bank keeps, in a schema of its own: the gateway's registry may
-- live in the same database, and neither touches the other's tables.
create schema bank;

create domain bank.currency as text check (value ~ '^[A-Z]{3}$');

create domain bank.money as numeric(18, 3);

create table bank.psus (
  id text primary key,
  alias text not null unique,
  name text not null,
  behaviour text not null check (behaviour in (
    'successful', 'rejected', 'blocked', 'internalLimit',
    'cancellationRejected', 'consentExpired', 'consentRevoked'))
);

create table bank.accounts (
  id uuid primary key,
  psu_id text not null references bank.psus,
  position integer not null,
  iban text not null,
  currency bank.currency not null,
  cash_account_type text not null,
  name text not null,
  product text not null,
  usage text not null check (usage in ('PRIV', 'ORGA')),
  status text not null check (status in ('enabled', 'blocked', 'deleted')),
  owner_name text not null,
  bic text not null,
  -- The sum of its booked transactions; moved only together with one.
  booked bank.money not null,
  credit_limit bank.money not null check (credit_limit >= 0),
  changed_at timestamptz not null,
  unique (iban, currency)
);
create index accounts_psu on bank.accounts (psu_id);

create table bank.payments (
  id uuid primary key,
  application_id text not null,
  product text not null,
  -- The initiation as accepted.
  body jsonb not null,
  amount bank.money not null check (amount > 0),
  currency bank.currency not null,
  status text not null check (status in ('RCVD', 'ACTC', 'ACSP', 'ACSC', 'RJCT', 'CANC')),
  psu_id text references bank.psus,
  debtor_account_id uuid references bank.accounts,
  -- The planned times of settlement exist from the approval on.
  execute_at timestamptz,
  settle_at timestamptz,
  created_at timestamptz not null,
  check (status not in ('ACTC', 'ACSP', 'ACSC')
    or (execute_at is not null and settle_at is not null and debtor_account_id is not null))
);
create index payments_due on bank.payments (settle_at) where status in ('ACTC', 'ACSP');

create table bank.transactions (
  id uuid primary key,
  account_id uuid not null references bank.accounts,
  -- Counts the entries of an account; what is later has the greater number.
  sequence integer not null,
  status text not null check (status in ('booked', 'pending')),
  -- Booking day of what is booked, entry day of what is pending.
  day date not null,
  value_day date not null,
  amount bank.money not null check (amount <> 0),
  currency bank.currency not null,
  counterparty_name text,
  counterparty_iban text,
  remittance text,
  end_to_end_id text,
  purpose_code text,
  bank_code text not null,
  proprietary_code text,
  balance_after bank.money,
  payment_id uuid references bank.payments,
  unique (account_id, sequence),
  -- A payment is booked at most once on each of the two accounts.
  unique (payment_id, account_id),
  check ((status = 'booked') = (balance_after is not null))
);
create index transactions_by_day on bank.transactions (account_id, day);

create table bank.standing_orders (
  id uuid primary key,
  account_id uuid not null references bank.accounts,
  amount bank.money not null,
  currency bank.currency not null,
  creditor_name text not null,
  creditor_iban text not null,
  remittance text not null,
  start_day date not null,
  frequency text not null,
  day_of_execution text not null,
  bank_code text not null
);

create table bank.card_accounts (
  id uuid primary key,
  psu_id text not null references bank.psus,
  position integer not null,
  -- Of the account the cards are settled through.
  iban text not null,
  masked_pan text not null unique,
  currency bank.currency not null,
  name text not null,
  product text not null,
  usage text not null check (usage in ('PRIV', 'ORGA')),
  status text not null check (status in ('enabled', 'blocked', 'deleted')),
  owner_name text not null,
  credit_limit bank.money not null check (credit_limit >= 0)
);

create table bank.card_transactions (
  id uuid primary key,
  card_account_id uuid not null references bank.card_accounts,
  sequence integer not null,
  status text not null check (status in ('booked', 'pending')),
  transaction_day date not null,
  accepted_at timestamptz not null,
  booking_day date,
  -- The day the card holder owes it.
  due_day date,
  invoiced boolean not null,
  amount bank.money not null,
  currency bank.currency not null,
  original_amount bank.money,
  original_currency bank.currency,
  acceptor_name text not null,
  acceptor_town text not null,
  acceptor_country text not null,
  merchant_category text not null,
  unique (card_account_id, sequence),
  check ((status = 'booked') = (booking_day is not null)),
  check (status = 'booked' or not invoiced),
  check ((original_amount is null) = (original_currency is null))
);

create table bank.consents (
  id uuid primary key,
  application_id text not null,
  psu_id text references bank.psus,
  access jsonb not null,
  recurring boolean not null,
  valid_until date not null,
  frequency_per_day integer not null check (frequency_per_day between 1 and 100),
  status text not null check (status in (
    'received', 'rejected', 'valid', 'revokedByPsu', 'expired', 'terminatedByTpp', 'suspendedByASPSP')),
  last_action_day date not null,
  first_used_at timestamptz,
  created_at timestamptz not null,
  -- Who has approved is known.
  check (status <> 'valid' or psu_id is not null)
);
create index consents_superseded on bank.consents (application_id, psu_id) where status = 'valid';

-- What the PSU granted, worked out once, at the approval.
create table bank.consent_access (
  consent_id uuid not null references bank.consents,
  kind text not null check (kind in ('account', 'cardAccount')),
  resource_id uuid not null,
  right_name text not null check (right_name in
    ('list', 'detail', 'listBalances', 'balances', 'transactions')),
  primary key (consent_id, resource_id, right_name)
);

-- Reads without the PSU, for frequencyPerDay.
create table bank.consent_uses (
  consent_id uuid not null references bank.consents,
  day date not null,
  target text not null,
  uses integer not null check (uses > 0),
  primary key (consent_id, day, target)
);

create table bank.mandates (
  id uuid primary key,
  application_id text not null,
  psu_id text not null references bank.psus,
  body jsonb not null,
  -- Compared without regard to case; a creditor's key is its identification, else its name.
  reference text not null,
  creditor text not null,
  status text not null check (status in (
    'received', 'rejected', 'valid', 'suspended', 'revokedByPsu', 'expired', 'terminatedByTpp')),
  reason text,
  ends_on date,
  last_action_day date not null,
  created_at timestamptz not null
);
create unique index mandates_reference on bank.mandates (application_id, creditor, reference)
  where status in ('received', 'valid', 'suspended');

create table bank.authorisations (
  id uuid primary key,
  payment_id uuid references bank.payments,
  consent_id uuid references bank.consents,
  mandate_id uuid references bank.mandates,
  purpose text not null check (purpose in ('creation', 'cancellation')),
  approach text not null check (approach in ('REDIRECT', 'DECOUPLED', 'EMBEDDED')),
  status text not null check (status in (
    'received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started',
    'finalised', 'failed', 'exempted')),
  psu_id text references bank.psus,
  method_id text,
  password_failures integer not null default 0 check (password_failures between 0 and 3),
  otp_failures integer not null default 0 check (otp_failures between 0 and 3),
  redirect_uri text,
  nok_redirect_uri text,
  -- When the sandbox person answers a decoupled request.
  answers_at timestamptz,
  created_at timestamptz not null,
  check (num_nonnulls(payment_id, consent_id, mandate_id) = 1),
  check (purpose = 'creation' or payment_id is not null),
  check (approach <> 'REDIRECT' or redirect_uri is not null),
  check ((status = 'started') = (answers_at is not null) or status in ('finalised', 'failed'))
);
-- A resource is created once; cancelling may be tried again, but not twice at a time.
create unique index authorisations_payment on bank.authorisations (payment_id)
  where purpose = 'creation';
create unique index authorisations_consent on bank.authorisations (consent_id);
create unique index authorisations_mandate on bank.authorisations (mandate_id);
create unique index authorisations_cancellation on bank.authorisations (payment_id)
  where purpose = 'cancellation' and status not in ('finalised', 'failed', 'exempted');

-- Answers to POSTs by X-Request-ID, kept for a day.
create table bank.idempotency (
  application_id text not null,
  path text not null,
  request_id uuid not null,
  body_sha256 bytea not null,
  -- Written in the transaction that does the work; another transaction never sees the row without.
  answer text,
  created_at timestamptz not null,
  primary key (application_id, path, request_id)
);
create index idempotency_age on bank.idempotency (created_at);
`)
