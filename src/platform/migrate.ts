import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { type Database, isRefusal } from './database.ts'

export interface MigrateOptions {
  /** Whose tables: each has its own history in `<name>_migration` and may live in a database of its own. */
  readonly name: 'registry' | 'bank'
  /** By name; they run in the order of their names (`0001-…`). Never renamed, never removed. */
  readonly migrations: Readonly<Record<string, Migration>>
}

/**
 * Runs the migrations that have not run, in one transaction. Whoever starts
 * first does it while the others wait (Kysely holds an advisory lock of
 * PostgreSQL; the embedded database has one opener, so nobody competes there).
 *
 * @returns the names of those that ran now
 * @throws an error that names the migration, with what it threw as the cause;
 *   nothing of that run remains. Or one that says that the database cannot be reached
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<string[]> {
  return database.unhurried(async (kysely: Kysely<unknown>) => {
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
