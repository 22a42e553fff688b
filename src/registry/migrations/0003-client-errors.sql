-- Admitted calls that the backend answered with 4xx.
alter table usage_minutes add column client_errors bigint not null default 0;
alter table usage_hours add column client_errors bigint not null default 0;
alter table usage_days add column client_errors bigint not null default 0;
