import { sql } from 'kysely'
import { type DataFolder, readDataFolderSecret } from '../platform/database/data-folder.ts'
import type { Database } from '../platform/database/database.ts'
import { restoring } from '../platform/database/database-folder.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { embeddedPepper, type Peppers } from '../registry/keys/key-mac.ts'
import {
  createKeyPeppers,
  type KeyPeppers,
  type MissingPepper,
} from '../registry/keys/key-peppers.ts'
import type { RegistrySchema } from '../registry/schema.ts'

/** The database has keys, and the data folder lost the secret that they are stored under. */
export class PepperMissing extends Error {
  constructor(dataDir: string) {
    super(
      `${dataDir}/${embeddedPepper.name} is missing or empty, but the database has keys. Without this secret no key works. ${restoring(dataDir)} If the secret was in KEY_PEPPER, set KEY_PEPPER again`,
    )
    this.name = 'PepperMissing'
  }
}

/** Keys or other processes need peppers that KEY_PEPPER does not have. */
export class PepperVersionMissing extends Error {
  constructor(missing: readonly MissingPepper[]) {
    super(missing.map(describe).join('; '))
    this.name = 'PepperVersionMissing'
  }
}

function describe({ version, keys, isOther }: MissingPepper): string {
  const count = keys === 1 ? '1 working API key needs' : `${keys} working API keys need`
  if (!isOther) {
    return `KEY_PEPPER: version ${version} is missing, but ${count} it; add its secret (e.g. ${version + 1}:…,${version}:…)`
  }
  const before =
    keys > 0
      ? `is not the secret that ${count}`
      : 'is not the secret that the first process with this version had'
  return `KEY_PEPPER: version ${version} ${before}; copy KEY_PEPPER from a process that serves, or give a new secret a new version (e.g. ${version + 1}:…,${version}:…)`
}

/**
 * Refuses a start that would answer 401 to keys, or make keys to which other
 * processes answer 401.
 *
 * @throws {PepperVersionMissing}
 */
export async function checkPeppers(keyPeppers: KeyPeppers, peppers: Peppers): Promise<void> {
  const missing = await keyPeppers.findMissing(peppers)
  if (missing.length > 0) throw new PepperVersionMissing(missing)
}

/** Returns a secret from the settings. If they do not set one, generates it once and keeps it in the data folder. */
export async function openSecret(
  given: string | undefined,
  dataFolder: DataFolder | undefined,
  kept: { readonly name: string; readonly generate: () => string },
): Promise<string> {
  const secret = given ?? (await dataFolder?.secret(kept.name, kept.generate))
  if (secret === undefined) throw new Error('checkDeployment let a missing secret pass')
  return secret
}

/**
 * Returns the secret that keys are stored under: KEY_PEPPER, or the one in the
 * data folder. A folder without keys gets a new one.
 *
 * @throws {PepperMissing}
 */
export async function openPepper({
  settings: { keyPepper },
  dataFolder,
  database,
}: {
  readonly settings: Pick<Settings, 'keyPepper'>
  /** Needed without KEY_PEPPER. */
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
}): Promise<string> {
  if (keyPepper === undefined && dataFolder !== undefined) {
    const kept = await readDataFolderSecret(dataFolder.path, embeddedPepper.name)
    if (kept === undefined) {
      if (await hasKeys(database)) throw new PepperMissing(dataFolder.path)
      await forgetPeppers(database)
    }
  }
  return openSecret(keyPepper, dataFolder, embeddedPepper)
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

/**
 * Deletes the noted peppers of a folder without keys. It gets a new secret: the one before was in KEY_PEPPER, or its file
 * was lost.
 */
async function forgetPeppers(database: Database): Promise<void> {
  const db = database.connect<RegistrySchema>()
  const table = await sql<{ there: boolean }>`
    select to_regclass('portal_state') is not null as there`.execute(db)
  if (table.rows[0]?.there === true) await createKeyPeppers({ db }).forget()
}
