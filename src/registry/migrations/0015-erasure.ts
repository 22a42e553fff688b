import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Deleted applications that must still be reported to the bank. */
export const erasure: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table deleted_applications (
    application_id uuid primary key,
    deleted_at timestamptz not null default now(),
    attempts integer not null default 0,
    due_at timestamptz not null default now()
  )`,
  `create index deleted_applications_due on deleted_applications (due_at)`,
]
