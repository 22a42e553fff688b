import type { Kysely, Transaction } from 'kysely'
import { DatabaseError } from 'pg'
import { packageVersion } from '../process/package-version.ts'
import { changeTables } from './change-tables.ts'
import { type Database, isForbidden, isRefusal } from './database.ts'
import { refuseUnfitDatabase, UnfitDatabase } from './database-fitness.ts'
import { createHistory, noteMigration, readHistory, type SchemaName } from './schema-history.ts'
import type { SchemaMigrations } from './schema-migration.ts'
import { refuseUnfit, SchemaError, type SchemaState, schemaState } from './schema-state.ts'

/** The owner of the tables, and what this release knows about them. */
export interface SchemaOptions {
  /** Owner of the tables: each has a separate history and may use a separate database. */
  readonly name: SchemaName
  readonly migrations: SchemaMigrations
  /** (Default: the version of the program) */
  readonly release?: string
}

export interface MigrateOptions extends SchemaOptions {
  /** Whether pending migrations run; otherwise they are an error. MIGRATE_ON_START. (Default: true) */
  readonly migrateOnStart?: boolean | undefined
}

/** Compares the tables with this release and changes nothing. @throws the database cannot be reached */
export async function readSchema(database: Database, options: SchemaOptions): Promise<SchemaState> {
  return database.apart((kysely) => stateOf(kysely, options))
}

/**
 * Runs pending migrations, in one transaction. The first process to start runs
 * them while the others wait (for an advisory lock of PostgreSQL). Processes
 * that serve on the same tables are not held up: a migration that does not get
 * a table at once lets them go on, and tries again.
 *
 * @returns the names of the migrations that ran
 * @throws {SchemaError} a newer release changed the tables so that this one does
 * not work, or migrations are pending and must not or may not run
 * @throws {UnfitDatabase} another database than PostgreSQL 15 or newer. Or an error
 * that names the migration, with its failure as the cause; the whole run is
 * rolled back. Or an error that the database cannot be reached
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<string[]> {
  const release = options.release ?? packageVersion()
  const { name: schema, migrations, migrateOnStart = true } = options
  let running: string | undefined
  /** Whether no migration has ever run. */
  let isNew = false

  async function run(trx: Transaction<unknown>): Promise<string[]> {
    const state = await stateOf(trx, options)
    refuseUnfit(schema, state, release)
    await createHistory(trx, schema)
    const ran: string[] = []
    for (const [name, migration] of Object.entries(migrations).toSorted(byName)) {
      if (!state.pending.includes(name)) continue
      running = name
      await migration.up(trx)
      const { oldestRelease } = migration
      await noteMigration(trx, schema, { name, release, oldestRelease })
      ran.push(name)
    }
    return ran
  }

  return database.apart(async (kysely) => {
    try {
      await refuseUnfitDatabase(kysely)
      const state = await stateOf(kysely, options)
      refuseUnfit(schema, state, release)
      if (state.pending.length === 0) return []
      isNew = state.isNew
      if (!migrateOnStart) throw mustMigrate(schema, state, release)
      return await changeTables(kysely, run)
    } catch (error) {
      if (error instanceof SchemaError || error instanceof UnfitDatabase) throw error
      if (isForbidden(error))
        throw isNew ? mayNotCreate(schema, error) : mayNot(schema, release, error)
      if (isNew && isTaken(error)) throw notOurs(schema, error)
      if (running === undefined && !isRefusal(error)) {
        throw new Error('the database cannot be reached', { cause: error })
      }
      throw new Error(`migration ${running ?? `of ${schema}`} failed`, { cause: error })
    }
  })
}

async function stateOf(db: Kysely<unknown>, options: SchemaOptions): Promise<SchemaState> {
  const history = await readHistory(db, options.name)
  return schemaState(history, options.migrations, options.release ?? packageVersion())
}

/** Whether a migration creates what exists already. */
function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '42P07' || error.code === '42P06')
}

function notOurs(schema: SchemaName, cause: unknown): SchemaError {
  return new SchemaError(
    `the database has tables, but no history that says that Tollgate created those of the ${schema}: it belongs to another program, or to a Tollgate from before release 0.2.0. Use an empty database, or an empty data folder`,
    { cause },
  )
}

function mayNotCreate(schema: SchemaName, cause: unknown): SchemaError {
  return new SchemaError(
    `the role of DATABASE_URL may not create the ${schema}'s tables in this database: run deploy/postgres/roles.sql in it, then \`tollgate migrate --grant\` as tollgate_owner, or use a role that may create tables`,
    { cause },
  )
}

function mustMigrate(schema: SchemaName, { pending }: SchemaState, release: string): SchemaError {
  return new SchemaError(
    `the ${schema}'s tables are older than release ${release} (${pending.join(', ')} ${pending.length === 1 ? 'has' : 'have'} not run), and MIGRATE_ON_START is off: run \`tollgate migrate\`, with --grant if each service has its own database role, then start again (docs/upgrade.md)`,
  )
}

function mayNot(schema: SchemaName, release: string, cause: unknown): SchemaError {
  return new SchemaError(
    `the role of DATABASE_URL may not read the history of the ${schema}'s tables, or not bring them to release ${release}: run \`tollgate migrate --grant\` as their owner (docs/upgrade.md)`,
    { cause },
  )
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
