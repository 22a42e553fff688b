import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPepper } from '../compose/secrets.ts'
import {
  type DataFolder,
  DataFolderBusy,
  openDataFolder,
} from '../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import { prepareDatabaseFolder } from '../platform/database/database-folder.ts'
import { databaseBeside, startEmbeddedDatabase } from '../platform/database/embedded-database.ts'
import { SchemaError } from '../platform/database/schema-state.ts'
import { codeOf } from '../platform/log/error-code.ts'
import { createLog } from '../platform/log/log.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { CommandError } from './command-error.ts'

/** The settings a command needs to find the database. */
export type DatabaseSettings = Pick<Settings, 'databaseUrl' | 'dataDir' | 'keyPepper'>

/** Hears that a database was created in DATA_DIR. */
export type OnCreated = (dataDir: string) => void

/** Where the database was found, for what belongs to it. */
export type DatabaseHome =
  /** DATABASE_URL. */
  | { readonly kind: 'server' }
  /** Embedded, of the process that has DATA_DIR open. */
  | { readonly kind: 'beside' }
  /** Embedded, open for this command alone. */
  | { readonly kind: 'ours'; readonly folder: DataFolder }

/** How long to wait for a process that has the data folder and is still starting, or about to end. */
const startingMs = 20_000

/**
 * Runs `work` on the database the settings lead to: DATABASE_URL; else the
 * embedded database of the process that has DATA_DIR open, over its socket;
 * else the embedded database itself, opened for as long as `work` takes.
 * Connecting to DATABASE_URL is left to the first statement.
 *
 * @param options.isImport whether `work` brings a database that DATA_DIR has lost
 * @param options.onCreated called if DATA_DIR had no database, with the folder
 */
export async function withDatabase<Result>(
  { databaseUrl, dataDir, keyPepper }: DatabaseSettings,
  work: (database: Database, home: DatabaseHome) => Promise<Result>,
  options: { readonly isImport?: boolean; readonly onCreated?: OnCreated | undefined } = {},
): Promise<Result> {
  if (databaseUrl !== undefined) {
    return connected(databaseUrl, (database) => work(database, { kind: 'server' }))
  }
  const found = await findEmbedded(dataDir)
  if (found.kind === 'beside') {
    return closing(found.database, (database) => work(database, { kind: 'beside' }))
  }
  const { folder } = found
  try {
    if (await prepareDatabaseFolder(folder.path, options.isImport)) options.onCreated?.(folder.path)
    const embedded = await startEmbeddedDatabase({ dataDir: folder.path, log: createLog('error') })
    try {
      return await connected(embedded.url, async (database) => {
        // A command that comes beside this one needs it.
        await openPepper({ settings: { keyPepper }, dataFolder: folder, database })
        return work(database, { kind: 'ours', folder })
      })
    } finally {
      await embedded.close()
    }
  } finally {
    await folder.close()
  }
}

/**
 * What a command says when the database does not answer. The address may hold a
 * password, so the message names the settings only.
 *
 * @param what what is kept there (`the registry`)
 */
export function unreachable(what: string, cause: unknown): CommandError {
  if (cause instanceof SchemaError) return new CommandError(cause.message, { cause })
  const text = `${what} cannot be reached (DATABASE_URL, or DATA_DIR when it is not set)`
  return new CommandError(text, { cause })
}

type Found =
  | { readonly kind: 'beside'; readonly database: Database }
  | { readonly kind: 'ours'; readonly folder: DataFolder }

/**
 * A process that has the folder but no socket yet, or no longer, is about to
 * change that. A process that ends waits for the connections it has, so the
 * database beside is connected before anything relies on it.
 */
async function findEmbedded(dataDir: string): Promise<Found> {
  const deadline = performance.now() + startingMs
  for (;;) {
    const url = await databaseBeside(dataDir)
    if (url !== undefined) {
      const database = openFor(url)
      if (await isThere(database)) return { kind: 'beside', database }
      await database.close()
    }
    try {
      return { kind: 'ours', folder: await openDataFolder(dataDir) }
    } catch (error) {
      if (!(error instanceof DataFolderBusy) || performance.now() > deadline) throw error
    }
    await delay(100)
  }
}

/** Whether the database took a connection. Other failures are left to the first statement, which reports them. */
async function isThere(database: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(database.connect())
    return true
  } catch (error) {
    const code = codeOf(error)
    return code !== 'ENOENT' && code !== 'ECONNREFUSED'
  }
}

function openFor(url: string): Database {
  return openDatabase({
    url,
    user: 'command',
    log: createLog('error'),
    connectionsMax: 2,
    statementTimeoutMs: 30_000,
  })
}

function connected<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return closing(openFor(url), work)
}

/** Runs `work`, then closes the database. */
async function closing<Result>(
  database: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
