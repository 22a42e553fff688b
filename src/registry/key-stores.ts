import { randomBytes } from 'node:crypto'
import type { Database } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { createApplications } from './applications/applications.ts'
import { createDeletedApplications } from './applications/deleted-applications.ts'
import { createOverrides } from './applications/overrides.ts'
import { createSubscriptions } from './applications/subscriptions.ts'
import { createCertificates } from './certificates/certificates.ts'
import { createChangeTable } from './feed/change-table.ts'
import { judgeKey } from './keys/judge-key.ts'
import { parseKey } from './keys/key-format.ts'
import type { Peppers } from './keys/key-mac.ts'
import { createKeyPeppers } from './keys/key-peppers.ts'
import { createFindKeyRecords } from './keys/key-record.ts'
import { createKeys } from './keys/keys.ts'
import { registryMigrations } from './migrations/index.ts'
import { createConfigurations } from './processes/configurations.ts'
import { createToldCountSamples } from './processes/count-samples.ts'
import { createProcesses } from './processes/processes.ts'
import { createPublishedConfigurations } from './processes/published-configurations.ts'
import type { Caller } from './registry.ts'
import type { RegistrySchema } from './schema.ts'

/** The stores of what a call needs: applications and what they may do, and what processes share. */
export type KeyStores = Awaited<ReturnType<typeof openKeyStores>>

export interface KeyStoresOptions {
  readonly database: Database
  readonly peppers: Peppers
  readonly keysPerApplication: number
  readonly applicationsPerDeveloper: number
  /** The longest life of a key; 0: it may live forever. (Default: 0) */
  readonly keyMaxDays?: number
  /** Whether pending migrations run; otherwise they are an error. (Default: true) */
  readonly migrateOnStart?: boolean
  readonly now?: () => number
  readonly randomBytes?: (size: number) => Buffer
}

/**
 * Migrates the tables of registry and portal, and opens these stores.
 *
 * @throws when the database does not answer or a migration fails
 */
export async function openKeyStores(options: KeyStoresOptions) {
  const { database, peppers, migrateOnStart, now = Date.now } = options
  await migrate(database, { name: 'registry', migrations: registryMigrations, migrateOnStart })
  const db = database.connect<RegistrySchema>()
  return {
    applications: createApplications({ db, perDeveloper: options.applicationsPerDeveloper }),
    deletedApplications: createDeletedApplications({ db }),
    subscriptions: createSubscriptions({ db }),
    overrides: createOverrides({ db, now }),
    keys: createKeys({
      db,
      peppers,
      perApplication: options.keysPerApplication,
      daysMax: options.keyMaxDays ?? 0,
      now,
      randomBytes: options.randomBytes ?? randomBytes,
    }),
    keyPeppers: createKeyPeppers({ db }),
    certificates: createCertificates({ db, now }),
    changes: createChangeTable({ db }),
    processes: createProcesses({ db }),
    countSamples: createToldCountSamples({ db }),
    configurations: createConfigurations({ db }),
    publishedConfigurations: createPublishedConfigurations({ db }),
    /**
     * Finds the owner of a key directly in the database, for a dry run. Never
     * `unreachable`.
     * @throws when the database does not answer
     */
    async recognise(text: string): Promise<Caller | 'invalid'> {
      const key = parseKey(text)
      if (key === undefined) return 'invalid'
      const records = await createFindKeyRecords({ db })([key.id])
      return judgeKey(key, records.get(key.id), { peppers, nowMs: now() })
    },
  }
}
