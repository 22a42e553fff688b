import { migrationOf } from '../../platform/database/migration-of.ts'

/** Stores which terms developers have accepted. Until a sign-up is complete, its acceptance is stored with its link. */
export const terms = migrationOf(
  `create table accepted_terms (
    developer_id uuid not null references developers on delete cascade,
    version text not null,
    accepted_at timestamptz not null default now(),
    primary key (developer_id, version)
  )`,
  `alter table mail_tokens add column terms_version text`,
)
