-- Everything the bank keeps, as release 0.2.0 created it, in a schema of its own: the gateway's registry may live in the same database, and
-- neither touches the other's tables.
create schema bank;

create domain bank.currency as text check (value ~ '^[A-Z]{3}$');

create domain bank.money as numeric(18, 3);

create table bank.psus (
  id text primary key,
  alias text not null unique,
  name text not null,
  -- Of the organisation the person acts for.
  corporate_id text unique,
  behaviour text not null constraint psus_behaviour check (behaviour in (
    'successful', 'rejected', 'blocked', 'serviceBlocked', 'internalLimit', 'cancellationRejected',
    'consentExpired', 'consentRevoked', 'consentSuspended', 'exempted', 'oneMethod', 'confirmation'))
);

-- Counts the failed attempts of a PSU in a row, by application. An empty application stands for all applications.
create table bank.psu_attempts (
  psu_id text not null references bank.psus,
  application_id text not null,
  failures integer not null check (failures >= 0),
  failed_at timestamptz not null,
  primary key (psu_id, application_id)
);

-- # Accounts

create table bank.accounts (
  id uuid primary key,
  psu_id text not null references bank.psus,
  position integer not null,
  iban text not null,
  currency bank.currency not null,
  cash_account_type text not null,
  name text not null,
  -- Given by the PSU.
  display_name text,
  details text,
  linked_accounts text,
  product text not null,
  usage text not null check (usage in ('PRIV', 'ORGA')),
  status text not null check (status in ('enabled', 'blocked', 'deleted')),
  owner_name text not null,
  bic text not null,
  -- The sum of its booked transactions, and number and day of the last one; moved only together with one.
  booked bank.money not null,
  last_sequence integer not null default 0,
  last_day date,
  credit_limit bank.money not null check (credit_limit >= 0),
  changed_at timestamptz not null,
  unique (iban, currency),
  constraint accounts_last_entry check ((last_sequence = 0) = (last_day is null)),
  -- What only gathers sub-accounts has nothing of its own.
  constraint accounts_aggregate check (currency <> 'XXX' or (booked = 0 and last_sequence = 0))
);
create index accounts_psu on bank.accounts (psu_id);

create table bank.payments (
  id uuid primary key,
  -- In order of creation; the table stores rows in order of the last change.
  number bigint not null generated always as identity,
  application_id text not null,
  product text not null,
  -- The initiation as accepted.
  body jsonb not null,
  amount bank.money not null check (amount > 0),
  currency bank.currency not null,
  status text not null constraint payments_status check (status in (
    'RCVD', 'ACTC', 'ACFC', 'ACWC', 'ACSP', 'ACSC', 'ACCC', 'RJCT', 'CANC')),
  psu_id text references bank.psus,
  debtor_account_id uuid references bank.accounts,
  -- The planned times of settlement exist from the approval on.
  execute_at timestamptz,
  settle_at timestamptz,
  -- When time changes it next; null: never again, or not before a decision.
  due_at timestamptz,
  -- Settlements that failed because funds were missing.
  attempts integer not null default 0 check (attempts >= 0),
  rejects_without_funds boolean not null default false,
  -- As last checked; null: never.
  funds_available boolean,
  created_at timestamptz not null,
  constraint payments_planned check (status not in ('ACTC', 'ACFC', 'ACWC', 'ACSP', 'ACSC', 'ACCC')
    or (execute_at is not null and settle_at is not null and debtor_account_id is not null)),
  constraint payments_due check (case
    when status in ('ACTC', 'ACFC', 'ACWC', 'ACSP') then due_at is not null
    else due_at is null or status = 'ACSC' end)
);
create index payments_due on bank.payments (due_at) where due_at is not null;

-- The booked entries of an account are numbered without gaps and in the order of their days, so that a page of any list is a range of
-- numbers.
create table bank.transactions (
  id uuid primary key,
  account_id uuid not null references bank.accounts,
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
  -- The creditor's reference of the mandate it was collected by.
  mandate_id text check (length(mandate_id) between 1 and 35),
  -- A payment is booked at most once on each of the two accounts.
  unique (payment_id, account_id),
  check ((status = 'booked') = (balance_after is not null)),
  constraint transactions_sequence unique (account_id, status, sequence),
  constraint transactions_in_a_currency check (currency <> 'XXX'),
  constraint transactions_origin check (mandate_id is null or payment_id is null)
);
create index transactions_by_day on bank.transactions (account_id, status, day, sequence);

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

create table bank.standing_orders (
  id uuid primary key,
  account_id uuid not null references bank.accounts,
  amount bank.money not null,
  currency bank.currency not null,
  creditor_name text not null,
  creditor_iban text not null,
  remittance text not null,
  start_day date not null,
  end_day date check (end_day >= start_day),
  frequency text not null,
  day_of_execution text not null,
  -- Where a day of execution is no banking day.
  execution_rule text check (execution_rule in ('preceding', 'following')),
  bank_code text not null
);

-- # Card accounts

create table bank.card_accounts (
  id uuid primary key,
  psu_id text not null references bank.psus,
  position integer not null,
  -- Of the account the cards are settled through.
  iban text not null,
  masked_pan text not null unique,
  currency bank.currency not null,
  name text not null,
  display_name text,
  details text,
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
  -- For one unit of the original currency.
  exchange_rate numeric check (exchange_rate > 0),
  -- Part of the amount.
  markup_fee bank.money,
  markup_fee_percentage numeric check (markup_fee_percentage > 0),
  terminal_id text,
  acceptor_name text not null,
  acceptor_town text not null,
  acceptor_country text not null,
  merchant_category text not null,
  check ((status = 'booked') = (booking_day is not null)),
  check (status = 'booked' or not invoiced),
  check ((original_amount is null) = (original_currency is null)),
  constraint card_transactions_sequence unique (card_account_id, status, sequence),
  constraint card_transactions_exchanged check (exchange_rate is null or original_amount is not null),
  constraint card_transactions_markup check ((markup_fee is null) = (markup_fee_percentage is null))
);
create index card_transactions_by_day on bank.card_transactions (card_account_id, status, booking_day, sequence);
-- What is owed: not invoiced, or invoiced and not due yet.
create index card_transactions_owed on bank.card_transactions (card_account_id, invoiced, due_day);

-- # Consents and mandates

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
create index consents_application on bank.consents (application_id, created_at);

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
  -- The last day on which it can be collected: the request's; once approved, 36 months after its last use at most.
  ends_on date,
  collected_on date,
  last_action_day date not null,
  created_at timestamptz not null,
  constraint mandates_end check (status not in ('valid', 'suspended') or ends_on is not null),
  -- What has ended says why.
  constraint mandates_reason check (
    (status in ('rejected', 'revokedByPsu', 'expired', 'terminatedByTpp')) = (reason is not null)),
  constraint mandates_collected check (
    collected_on is null or (status not in ('received', 'rejected') and collected_on <= ends_on))
);
create unique index mandates_reference on bank.mandates (application_id, creditor, reference)
  where status in ('received', 'valid', 'suspended');

-- # Authorisations

create table bank.authorisations (
  id uuid primary key,
  number bigint not null generated always as identity,
  payment_id uuid references bank.payments,
  consent_id uuid references bank.consents,
  mandate_id uuid references bank.mandates,
  purpose text not null check (purpose in ('creation', 'cancellation')),
  approach text not null check (approach in ('REDIRECT', 'DECOUPLED', 'EMBEDDED')),
  status text not null constraint authorisations_status check (status in (
    'received', 'psuIdentified', 'psuAuthenticated', 'scaMethodSelected', 'started', 'unconfirmed',
    'finalised', 'failed', 'exempted')),
  psu_id text references bank.psus,
  method_id text,
  password_failures integer not null default 0 check (password_failures between 0 and 3),
  otp_failures integer not null default 0 check (otp_failures between 0 and 3),
  redirect_uri text,
  nok_redirect_uri text,
  -- When the sandbox person answers a decoupled request.
  answers_at timestamptz,
  -- Of the browser in which the PSU has signed in.
  session_sha256 bytea,
  -- Accounts the PSU has picked on the bank's page.
  picked uuid[],
  confirmation_code text,
  confirmation_failures integer not null default 0 check (confirmation_failures between 0 and 3),
  -- Who asks: the name that the gateway signed, and the brand that the call claims.
  application_name text,
  brand text,
  -- 244 random bits, which sign the forms of its pages in every process.
  form_key bytea not null
    default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  created_at timestamptz not null,
  check (num_nonnulls(payment_id, consent_id, mandate_id) = 1),
  constraint authorisations_cancellable check (purpose = 'creation' or consent_id is null),
  constraint authorisations_answer check (
    answers_at is null or status in ('started', 'finalised', 'failed')),
  constraint authorisations_unconfirmed check (
    status <> 'unconfirmed' or (confirmation_code is not null and psu_id is not null))
);
-- A resource is created once; cancelling may be tried again, but not twice at a time.
create unique index authorisations_payment on bank.authorisations (payment_id)
  where purpose = 'creation';
create unique index authorisations_cancellation on bank.authorisations (payment_id)
  where purpose = 'cancellation' and status not in ('finalised', 'failed', 'exempted');
create unique index authorisations_consent on bank.authorisations (consent_id);
create index authorisations_of_mandate on bank.authorisations (mandate_id)
  where mandate_id is not null;
create unique index authorisations_mandate on bank.authorisations (mandate_id)
  where purpose = 'creation';
create unique index authorisations_mandate_cancellation on bank.authorisations (mandate_id)
  where purpose = 'cancellation' and status not in ('finalised', 'failed', 'exempted');
create index authorisations_due on bank.authorisations (created_at)
  where status not in ('finalised', 'failed', 'exempted');
create index authorisations_answers on bank.authorisations (answers_at)
  where status = 'started';

-- # Repeated calls

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
