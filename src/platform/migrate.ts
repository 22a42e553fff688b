import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { type Database, isRefusal } from './database.ts'

export interface MigrateOptions {
  /** Owner of the tables: each has a separate history in `<name>_migration` and may use a separate database. */
  readonly name: 'registry' | 'bank'
  /** By name, in which order they run (`0001-…`). Never renamed, never removed. */
  readonly migrations: Readonly<Record<string, Migration>>
}

/**
 * Runs pending migrations, in one transaction. The first process to start runs
 * them while the others wait (Kysely holds an advisory lock of PostgreSQL).
 * Only one process can open the embedded database, so there is no competition.
 *
 * @returns the names of the migrations that ran
 * @throws an error that names the migration, with its failure as the cause; the
 * whole run is rolled back. Or an error that the database cannot be reached
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<string[]> {
  return database.apart(async (kysely: Kysely<unknown>) => {
    const { error, results } = await new Migrator({
      db: kysely,
      provider: { getMigrations: async () => ({ ...options.migrations }) },
      migrationTableName: `${options.name}_migration`,
      migrationLockTableName: `${options.name}_migration_lock`,
    }).migrateToLatest()
    if (error !== undefined) {
      const failed = results?.find((result) => result.status === 'Error')?.migrationName
      const what =
        failed === undefined && !isRefusal(error)
          ? 'the database cannot be reached'
          : `migration ${failed ?? `of ${options.name}`} failed`
      throw new Error(what, { cause: error })
    }
    return (results ?? []).map((result) => result.migrationName)
  })
}
