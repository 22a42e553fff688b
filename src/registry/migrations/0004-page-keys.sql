-- The session of the portal that a key is for; null: a key of a developer's program. A session that ends leaves its keys, revoked.
alter table api_keys add column session_id uuid;
create index api_keys_session on api_keys (session_id) where session_id is not null;
