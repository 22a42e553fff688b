-- The roles of Tollgate on PostgreSQL 15 or newer. Put their passwords into OWNER_PASSWORD, GATEWAY_PASSWORD, PORTAL_PASSWORD, BANK_PASSWORD
-- and SERVING_PASSWORD of the environment, where no list of processes shows them. Then run this file in Tollgate's database, as a superuser or as its owner with CREATEROLE,
-- before `tollgate migrate --grant` creates the tables and sets the rights on them:
--
--   psql -f roles.sql "$ADMIN_URL"
--
-- Leave the password out of ADMIN_URL: psql asks for it, or reads it from the file that PGPASSFILE names.
--
-- Run it again only for other passwords. It may run at any time.
--
-- tollgate_owner    owns the tables. Use it for `tollgate migrate` and `tollgate audit prune`, never in a process that serves.
-- tollgate_gateway, tollgate_portal, tollgate_bank  serve, each with the rights that it needs.
-- tollgate_serving  has the rights of these three: for commands, and for processes with several roles.
--
-- If another role owned the tables until now: `reassign owned by <role> to tollgate_owner`.

\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv portal_password PORTAL_PASSWORD
\getenv bank_password BANK_PASSWORD
\getenv serving_password SERVING_PASSWORD
-- No statement with a password may reach the server's log, or the statistics of statements. Only a superuser may set this.
select rolsuper as is_superuser from pg_roles where rolname = current_user \gset
\if :is_superuser
set log_statement = none;
set log_min_duration_statement = -1;
set log_min_error_statement = panic;
set pg_stat_statements.track_utility = off;
\else
\warn This role is not a superuser, so it cannot turn off the logging of statements. If the server logs DDL, or slow or failed statements, its log now contains the passwords.
\endif
-- A name that was never set would stay as it is written here, which is not SQL.
select not (:{?owner_password} and :{?gateway_password} and :{?portal_password} and :{?bank_password} and :{?serving_password}) as lacks_password \gset
\if :lacks_password
\else
select '' in (:'owner_password', :'gateway_password', :'portal_password', :'bank_password', :'serving_password') as lacks_password \gset
\endif
\if :lacks_password
do $$ begin raise exception 'a password is missing: set OWNER_PASSWORD, GATEWAY_PASSWORD, PORTAL_PASSWORD, BANK_PASSWORD and SERVING_PASSWORD (for roles-from-urls.sql, see its first lines)'; end $$;
\endif
-- Without the notices about what is as it should be already.
set client_min_messages = warning;
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

select format('grant connect, create on database %I to tollgate_owner', current_database()) \gexec
select format('grant connect on database %I to tollgate_gateway, tollgate_portal, tollgate_bank, tollgate_serving', current_database()) \gexec
revoke create on schema public from public, tollgate_serving;
grant usage, create on schema public to tollgate_owner;
grant usage on schema public to tollgate_gateway, tollgate_portal, tollgate_bank;

commit;
