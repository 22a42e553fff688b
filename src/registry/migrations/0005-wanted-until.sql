-- Until when a developer wants more calls; null: not said.
alter table limit_requests add column wanted_until timestamptz;
