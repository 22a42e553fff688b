import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A migration that runs statements, one after another. */
export function migrationOf(...statements: readonly string[]): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
