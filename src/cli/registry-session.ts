import { setTimeout as delay } from 'node:timers/promises'
import { readDataFolderSecret } from '../platform/database/data-folder.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { openStores, type Stores } from '../portal/stores/stores.ts'
import { embeddedPepper, parsePeppers } from '../registry/keys/key-mac.ts'
import { CommandError } from './command-error.ts'
import {
  type DatabaseHome,
  type DatabaseSettings,
  type OnCreated,
  unreachable,
  withDatabase,
} from './database-session.ts'

/** The settings a command needs to reach the registry. */
export type RegistrySettings = DatabaseSettings &
  Pick<Settings, 'keysPerApplication' | 'applicationsPerDeveloper' | 'keyMaxDays'> &
  Partial<Pick<Settings, 'migrateOnStart'>>

/**
 * Runs `work` on the registry, wherever its database is ({@link withDatabase}).
 *
 * @throws {CommandError} the registry cannot be reached
 */
export async function withRegistry<Result>(
  settings: RegistrySettings,
  work: (stores: Stores) => Promise<Result>,
  onCreated?: OnCreated,
): Promise<Result> {
  return withDatabase(
    settings,
    async (database, home) => {
      const peppers = parsePeppers(await pepperOf(home, settings))
      const stores = await openStores({ database, peppers, ...settings }).catch(
        (error: unknown) => {
          throw unreachable('the registry', error)
        },
      )
      return work(stores)
    },
    { onCreated },
  )
}

async function pepperOf(home: DatabaseHome, settings: RegistrySettings): Promise<string> {
  if (settings.keyPepper !== undefined) return settings.keyPepper
  switch (home.kind) {
    case 'server':
      throw new CommandError(
        'KEY_PEPPER or KEY_PEPPER_FILE is required with DATABASE_URL: it protects the stored keys, and all processes need the same one',
      )
    case 'beside':
      return pepperBeside(settings.dataDir)
    case 'ours':
      return home.folder.secret(embeddedPepper.name, embeddedPepper.generate)
  }
}

/** Milliseconds between the socket of a first start and its pepper, on a busy machine. */
const pepperMs = 3_000

async function pepperBeside(dataDir: string): Promise<string> {
  const deadline = performance.now() + pepperMs
  for (;;) {
    const pepper = await readDataFolderSecret(dataDir, embeddedPepper.name)
    if (pepper !== undefined) return pepper
    if (performance.now() > deadline) {
      throw new CommandError(
        `the process that uses DATA_DIR ${dataDir} has its KEY_PEPPER from the environment; set the same one for this command`,
      )
    }
    await delay(100)
  }
}
