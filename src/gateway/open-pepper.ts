import { sql } from 'kysely'
import { type DataFolder, readDataFolderSecret } from '../platform/data-folder.ts'
import type { Database } from '../platform/database.ts'
import { restoring } from '../platform/database-folder.ts'
import { openSecret } from './open-secret.ts'
import { embeddedPepper } from './registry/key-mac.ts'

/** The database has keys, and the data folder lost the secret that they are stored under. */
export class PepperMissing extends Error {
  constructor(dataDir: string) {
    super(
      `${dataDir}/${embeddedPepper.name} is missing or empty, but the database has keys. Without this secret no key works. ${restoring(dataDir)} If the secret was in KEY_PEPPER, set KEY_PEPPER again`,
    )
    this.name = 'PepperMissing'
  }
}

export interface OpenPepperOptions {
  /** The setting `KEY_PEPPER`. */
  readonly given: string | undefined
  /** Needed without `given`. */
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
}

/**
 * Returns the secret that keys are stored under: `given`, or the one in the
 * data folder. A folder without keys gets a new one.
 *
 * @throws {PepperMissing}
 */
export async function openPepper(options: OpenPepperOptions): Promise<string> {
  const { given, dataFolder, database } = options
  if (given === undefined && dataFolder !== undefined) {
    const kept = await readDataFolderSecret(dataFolder.path, embeddedPepper.name)
    if (kept === undefined && (await hasKeys(database))) throw new PepperMissing(dataFolder.path)
  }
  return openSecret(given, dataFolder, embeddedPepper)
}

/** Asked before the migrations, so the table may not be there yet. */
async function hasKeys(database: Database): Promise<boolean> {
  const db = database.connect()
  const table = await sql<{ there: boolean }>`
    select to_regclass('api_keys') is not null as there`.execute(db)
  if (table.rows[0]?.there !== true) return false
  const keys = await sql<{ there: boolean }>`
    select exists (select from api_keys) as there`.execute(db)
  return keys.rows[0]?.there === true
}
