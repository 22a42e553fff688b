-- The roles of Tollgate on PostgreSQL 15 or newer. Put their passwords into OWNER_PASSWORD, GATEWAY_PASSWORD, PORTAL_PASSWORD, BANK_PASSWORD
-- and SERVING_PASSWORD of the environment, where no list of processes shows them. Then run this file as a superuser in Tollgate's database
-- before the first start:
--
--   psql -f roles.sql "$ADMIN_URL"
--
-- If SECURITY_EVENT_DAYS is not 90, add its value: -v security_event_days=400
--
-- Run it again after each `tollgate migrate`: it sets the rights on all tables that exist by then. It may run at any time.
--
-- tollgate_owner    owns the tables. Use it for `tollgate migrate` and `tollgate audit prune`, never in a process that serves.
-- tollgate_gateway  judges keys and writes usage. It reads no password, session or email, adds no key and undoes no revocation.
-- tollgate_portal   serves the portal. It has no right on the tables of the sandbox bank.
-- tollgate_bank     serves the sandbox bank. Its only other table is that of the running processes, in which it finds reloads.
-- tollgate_serving  has the rights of these three: for commands, and for processes with several roles.
--
-- Only the owner can change or remove entries of the audit log, change security events or what the audit recorded of clients, or delete these
-- before their time. If another role owned the tables until now: `reassign owned by <role> to tollgate_owner`.

\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv portal_password PORTAL_PASSWORD
\getenv bank_password BANK_PASSWORD
\getenv serving_password SERVING_PASSWORD
select '' = any(array[:'owner_password', :'gateway_password', :'portal_password', :'bank_password', :'serving_password']) as lacks_password \gset
\if :lacks_password
do $$ begin raise exception 'a password is empty: set OWNER_PASSWORD, GATEWAY_PASSWORD, PORTAL_PASSWORD, BANK_PASSWORD and SERVING_PASSWORD'; end $$;
\endif
-- Without the notices about what is as it should be already.
set client_min_messages = warning;
\if :{?security_event_days}
\else
\set security_event_days 90
\endif
begin;

select format('create role %I login', name)
  from unnest(array['tollgate_owner', 'tollgate_gateway', 'tollgate_portal', 'tollgate_bank', 'tollgate_serving']) as name
  where not exists (select from pg_roles where rolname = name)
\gexec
alter role tollgate_owner password :'owner_password';
alter role tollgate_gateway password :'gateway_password';
alter role tollgate_portal password :'portal_password';
alter role tollgate_bank password :'bank_password';
alter role tollgate_serving password :'serving_password';
grant tollgate_gateway, tollgate_portal, tollgate_bank to tollgate_serving;

select format('grant create on database %I to tollgate_owner', current_database()) \gexec
revoke create on schema public from public, tollgate_serving;
grant usage, create on schema public to tollgate_owner;
grant usage on schema public to tollgate_gateway, tollgate_portal, tollgate_bank;
revoke all on all tables in schema public from tollgate_gateway, tollgate_portal, tollgate_bank, tollgate_serving;

select to_regclass('public.audit') is not null as has_tables, to_regnamespace('bank') is not null as has_bank \gset

\if :has_tables
grant select on api_keys, applications, subscriptions, limit_overrides, certificates, blocked_certificates,
  registry_migration, registry_migration_lock to tollgate_gateway;
grant select (id, suspended_at) on developers to tollgate_gateway;
grant update (mac, pepper_version, expires_at, last_used_at), delete on api_keys to tollgate_gateway;
grant update (last_used_at) on certificates to tollgate_gateway;
-- It never changes the column, but PostgreSQL grants a lock on a row only with the right to update one.
grant update (created_at) on applications to tollgate_gateway;
grant select, insert, update, delete on call_records, usage_minutes, usage_hours, usage_days, changes,
  audit_waiting, sandbox_authority, sandbox_revocations, processes, configurations to tollgate_gateway;
grant select, insert, update on portal_state to tollgate_gateway;
-- The applications that the portal or a command deleted: the gateway reports them to the bank.
grant select, update, delete on deleted_applications to tollgate_gateway;
grant select, insert, delete on security_events, audit_personal to tollgate_gateway;
grant select, insert on audit, audit_links to tollgate_gateway;
grant select on audit_checkpoints to tollgate_gateway;

grant select, insert, update, delete on all tables in schema public to tollgate_portal;
revoke update, delete on audit, audit_links, audit_checkpoints, staff from tollgate_portal;
-- Only retention writes checkpoints.
revoke insert on audit_checkpoints from tollgate_portal;
revoke update on security_events, audit_personal from tollgate_portal;

-- No role but the owner deletes these before their time.
select format(statement, name)
from unnest(array['security_events', 'audit_personal']) as name, unnest(array[
  'alter table %I enable row level security',
  'drop policy if exists read on %I',
  'drop policy if exists add on %I',
  'drop policy if exists expire on %I',
  'create policy read on %I for select using (true)',
  'create policy add on %I for insert with check (true)',
  'create policy expire on %I for delete using (at < now() - make_interval(days => ' || :security_event_days || '))'
]) as statement
\gexec
\endif

-- What migrations created since release 0.1.0, if they ran. Every process reads the first one when it starts.
select format('grant %s on %I to tollgate_gateway', rights, name)
from (values
  ('registry_upgrade', 'select'),
  ('published_configurations', 'select, insert, update, delete'),
  ('count_samples', 'select, insert, delete'),
  ('availability_minutes', 'select, insert, update, delete'),
  ('availability_hours', 'select, insert, update, delete'),
  ('availability_slices', 'select, insert, update, delete'),
  ('availability_outages', 'select, insert, update, delete'),
  ('availability_outage_seconds', 'select, insert, update, delete'),
  ('availability_rule', 'select, insert, update, delete')
) as later (name, rights)
where to_regclass('public.' || name) is not null
\gexec

\if :has_tables
grant select, insert, update, delete on processes to tollgate_bank;
\endif

\if :has_bank
revoke all on bank_migration, bank_migration_lock from tollgate_portal;
select 'revoke all on bank_upgrade from tollgate_portal; grant select on bank_upgrade to tollgate_bank'
  where to_regclass('public.bank_upgrade') is not null
\gexec
revoke all on all tables in schema bank from tollgate_serving;
grant select on bank_migration, bank_migration_lock to tollgate_bank;
grant usage on schema bank to tollgate_bank;
grant select, insert, update, delete, truncate on all tables in schema bank to tollgate_bank;
\endif

commit;
