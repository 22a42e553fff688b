-- The path as published, of a call without an operation. The path that a client sent may contain personal data.
alter table call_records add column path text;
