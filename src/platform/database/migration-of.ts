import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A migration that runs the statements of an SQL file. */
export function migrationOf(file: URL): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql.raw(await readFile(file, 'utf8')).execute(db)
    },
  }
}
