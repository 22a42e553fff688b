import { setTimeout as delay } from 'node:timers/promises'
import { embeddedPepper, type Peppers, parsePeppers } from '../gateway/registry/key-mac.ts'
import { openRegistryStores, type RegistryStores } from '../gateway/registry/stores.ts'
import {
  type DataFolder,
  DataFolderBusy,
  openDataFolder,
  readDataFolderSecret,
} from '../platform/data-folder.ts'
import { openDatabase } from '../platform/database.ts'
import { databaseBeside, startEmbeddedDatabase } from '../platform/embedded-database.ts'
import { createLog } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { CommandError } from './command-error.ts'

/** The settings a command needs to reach the registry. */
export type RegistrySettings = Pick<
  Settings,
  'databaseUrl' | 'dataDir' | 'keyPepper' | 'keysPerApplication' | 'applicationsPerDeveloper'
>

/** How long to wait for a process that has the data folder and is still starting, or about to end. */
const startingMs = 20_000

/**
 * Runs `work` on the registry the settings lead to: DATABASE_URL; else the
 * embedded database of the process that has DATA_DIR open, over its socket;
 * else the embedded database itself, opened for as long as `work` takes.
 *
 * @throws {CommandError} the registry cannot be reached
 */
export async function withRegistry<Result>(
  settings: RegistrySettings,
  work: (stores: RegistryStores) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = settings
  if (databaseUrl !== undefined) {
    if (settings.keyPepper === undefined) {
      throw new CommandError(
        'KEY_PEPPER or KEY_PEPPER_FILE is required with DATABASE_URL: it is the secret keys are stored under, the same for all processes',
      )
    }
    return onDatabase(databaseUrl, parsePeppers(settings.keyPepper), settings, work)
  }
  const found = await findEmbedded(settings.dataDir)
  if (found.kind === 'beside') {
    return onDatabase(found.url, await pepperBeside(settings), settings, work)
  }
  return onFolder(found.folder, settings, work)
}

type Found =
  | { readonly kind: 'beside'; readonly url: string }
  | { readonly kind: 'ours'; readonly folder: DataFolder }

/** A process that has the folder but no socket yet (or no more) is about to change that. */
async function findEmbedded(dataDir: string): Promise<Found> {
  const deadline = performance.now() + startingMs
  for (;;) {
    const url = await databaseBeside(dataDir)
    if (url !== undefined) return { kind: 'beside', url }
    try {
      return { kind: 'ours', folder: await openDataFolder(dataDir) }
    } catch (error) {
      if (!(error instanceof DataFolderBusy) || performance.now() > deadline) throw error
    }
    await delay(100)
  }
}

async function pepperBeside(settings: RegistrySettings): Promise<Peppers> {
  const pepper =
    settings.keyPepper ?? (await readDataFolderSecret(settings.dataDir, embeddedPepper.name))
  if (pepper === undefined) {
    throw new CommandError(
      `the process that has DATA_DIR ${settings.dataDir} open was given its KEY_PEPPER from outside; give this command the same`,
    )
  }
  return parsePeppers(pepper)
}

async function onFolder<Result>(
  folder: DataFolder,
  settings: RegistrySettings,
  work: (stores: RegistryStores) => Promise<Result>,
): Promise<Result> {
  try {
    const pepper =
      settings.keyPepper ?? (await folder.secret(embeddedPepper.name, embeddedPepper.generate))
    const embedded = await startEmbeddedDatabase({ dataDir: folder.path, log: createLog('error') })
    try {
      return await onDatabase(embedded.url, parsePeppers(pepper), settings, work)
    } finally {
      await embedded.close()
    }
  } finally {
    await folder.close()
  }
}

async function onDatabase<Result>(
  url: string,
  peppers: Peppers,
  settings: RegistrySettings,
  work: (stores: RegistryStores) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({
    url,
    log: createLog('error'),
    connectionsMax: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
  })
  try {
    const stores = await openRegistryStores({ database, peppers, ...settings }).catch(unreachable)
    return await work(stores)
  } finally {
    await database.close()
  }
}

/** The address may hold a password, so the message names the setting only. */
function unreachable(error: unknown): never {
  throw new CommandError(
    'the registry cannot be reached (DATABASE_URL, or DATA_DIR when it is not set)',
    {
      cause: error,
    },
  )
}
