-- What each role of deploy/postgres/roles.sql may do with the tables of registry and portal. `tollgate migrate --grant` runs this as their
-- owner, after the migrations, and sets all rights anew.
--
-- tollgate_gateway  judges keys and writes usage. It reads no password, session or email, adds no key and undoes no revocation.
-- tollgate_portal   serves the portal. It has no right on the tables of the sandbox bank.
-- tollgate_bank     serves the sandbox bank. Its only other table is that of the running processes, in which it finds reloads.
-- tollgate_serving  has the rights of these three: for commands, and for processes with several roles.
--
-- Only the owner can change or remove entries of the audit log, change security events or what the audit recorded of clients, or delete these
-- before their time.

do $$
declare name regclass;
begin
  for name in
    select oid from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relowner = (select relowner from pg_class where oid = 'registry_migrations'::regclass)
  loop
    execute format('revoke all on %s from tollgate_gateway, tollgate_portal, tollgate_bank, tollgate_serving', name);
    execute format('grant select, insert, update, delete on %s to tollgate_portal', name);
  end loop;
end
$$;

-- # tollgate_gateway

grant select on registry_migrations, api_keys, applications, subscriptions, limit_overrides, certificates, blocked_certificates,
  audit_checkpoints to tollgate_gateway;
grant select (id, suspended_at) on developers to tollgate_gateway;
grant update (mac, pepper_version, expires_at, last_used_at), delete on api_keys to tollgate_gateway;
grant update (last_used_at) on certificates to tollgate_gateway;
-- It never changes the column, but PostgreSQL grants a lock on a row only with the right to update one.
grant update (created_at) on applications to tollgate_gateway;
grant select, insert, update, delete on call_records, usage_minutes, usage_hours, usage_days, changes, audit_waiting, sandbox_authority,
  sandbox_revocations, processes, configurations, published_configurations, availability_minutes, availability_hours,
  availability_slices, availability_outages, availability_outage_seconds, availability_rule to tollgate_gateway;
grant select, insert, update on portal_state to tollgate_gateway;
-- The applications that the portal or a command deleted: the gateway reports them to the bank.
grant select, update, delete on deleted_applications to tollgate_gateway;
grant select, insert, delete on security_events, audit_personal, count_samples to tollgate_gateway;
grant select, insert on audit, audit_links to tollgate_gateway;

-- # tollgate_portal

revoke insert, update, delete on registry_migrations from tollgate_portal;
revoke update, delete on audit, audit_links, audit_checkpoints, staff from tollgate_portal;
-- Only retention writes checkpoints.
revoke insert on audit_checkpoints from tollgate_portal;
revoke update on security_events, audit_personal from tollgate_portal;

-- # tollgate_bank

grant select, insert, update, delete on processes to tollgate_bank;

-- # No role but the owner deletes these before their time

do $$
declare
  name text;
  days integer := current_setting('tollgate.security_event_days');
begin
  foreach name in array array['security_events', 'audit_personal'] loop
    -- What is so already needs no lock, for which a backup would have to end.
    continue when exists (
      select from pg_class c join pg_policies p on p.tablename = c.relname
      where c.oid = name::regclass and c.relrowsecurity and p.policyname = 'expire' and p.qual like format('%%days => %s)%%', days));
    execute format('alter table %I enable row level security', name);
    execute format('drop policy if exists read on %I', name);
    execute format('drop policy if exists add on %I', name);
    execute format('drop policy if exists expire on %I', name);
    execute format('create policy read on %I for select using (true)', name);
    execute format('create policy add on %I for insert with check (true)', name);
    execute format('create policy expire on %I for delete using (at < now() - make_interval(days => %s))', name, days);
  end loop;
end
$$;
