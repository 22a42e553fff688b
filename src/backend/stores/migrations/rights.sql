-- What the roles of deploy/postgres/roles.sql may do with the tables of the sandbox bank: tollgate_bank serves it, and no other role but
-- tollgate_serving has a right there. `tollgate migrate --grant` runs this as their owner, after the rights of the registry.

revoke all on bank_migrations from tollgate_gateway, tollgate_portal, tollgate_serving;
grant select on bank_migrations to tollgate_bank;
revoke all on all tables in schema bank from tollgate_gateway, tollgate_portal, tollgate_serving;
grant usage on schema bank to tollgate_bank;
grant select, insert, update, delete, truncate on all tables in schema bank to tollgate_bank;
