import type { Database } from '../platform/database/database.ts'
import type { Logger } from '../platform/log/log.ts'
import { type ChangeFeed, openChangeFeed } from './feed/change-feed.ts'
import { type ChangeTable, createChangeTable } from './feed/change-table.ts'
import { type KeyStores, openKeyStores } from './key-stores.ts'
import { createAuthenticator } from './keys/authenticator.ts'
import { ownerOfKey } from './keys/judge-key.ts'
import { createKeyCache, type KeyCache } from './keys/key-cache.ts'
import { parseKey } from './keys/key-format.ts'
import { createKeyLookUps } from './keys/key-lookups.ts'
import type { Peppers } from './keys/key-mac.ts'
import { createFindKeyRecords, createFindRevokedKeys } from './keys/key-record.ts'
import { createLastUsed } from './keys/last-used.ts'
import { createPepperUpgrades } from './keys/pepper-upgrades.ts'
import type { KeyAuthenticator, KeyMemory, RevokedKeys } from './registry.ts'
import type { RegistrySchema } from './schema.ts'

/** The complete registry, as a gateway or portal process uses it. */
export interface Registry
  extends KeyStores,
    KeyAuthenticator,
    KeyMemory,
    RevokedKeys,
    Pick<ChangeFeed, 'onChange' | 'onLost' | 'isUp'> {
  load(): RegistryLoad
  /** Stops polling and writes pending data. Does not close the database. */
  close(): Promise<void>
}

/** What a process knows of keys, and how fresh that is. */
export interface RegistryLoad {
  readonly keysCached: number
  /** Keys that the database was asked for, since the start. */
  readonly keysLookedUp: number
  /** Seconds since the change feed was last read. */
  readonly feedAgeSeconds: number
}

export interface RegistryOptions {
  readonly database: Database
  readonly log: Logger
  readonly peppers: Peppers
  readonly keysPerApplication: number
  readonly applicationsPerDeveloper: number
  /** See {@link KeyStoresOptions}. */
  readonly keyMaxDays?: number
  /** Milliseconds that a call waits for its key, and the change feed for one read. (Default: 1000) */
  readonly answerMs?: number
  /** Milliseconds since 1970. (Default: the system's clock) */
  readonly now?: () => number
  /** Monotonic milliseconds. (Default: `performance.now`) */
  readonly monotonicNow?: () => number
}

/**
 * Migrates the tables, opens the stores and starts to follow changes.
 *
 * @throws when the database does not answer or a migration fails
 */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { database, log, peppers, answerMs = 1_000 } = options
  const now = options.now ?? Date.now
  const monotonicNow = options.monotonicNow ?? (() => performance.now())

  const stores = await openKeyStores(options)
  const db = database.connect<RegistrySchema>()
  const cache = createKeyCache({ monotonicNow })
  const lookUps = createKeyLookUps({
    cache,
    findKeyRecords: createFindKeyRecords({ db }),
    log,
    deadlineMs: answerMs,
  })
  const lastUsed = createLastUsed({ db, of: 'api_keys', log })
  const pepperUpgrades = createPepperUpgrades({ db, peppers, log })
  const authenticator = createAuthenticator({
    cache,
    lookUps,
    peppers,
    lastUsed,
    pepperUpgrades,
    now,
    monotonicNow,
  })
  const findRevokedKeys = createFindRevokedKeys({ db })
  const feed = await openChangeFeed({
    changes: feedChanges(database, answerMs),
    log,
    monotonicNow,
    onTransaction: database.onTransaction,
  })
  follow(feed, cache)

  return {
    ...stores,
    authenticate: authenticator.authenticate,
    recogniseCached: authenticator.recogniseCached,
    async recogniseRevoked(text) {
      const key = parseKey(text)
      if (key === undefined) return undefined
      return ownerOfKey(key, (await findRevokedKeys([key.id])).get(key.id), peppers)
    },
    onChange: feed.onChange,
    onLost: feed.onLost,
    isUp: feed.isUp,
    load: () => ({
      keysCached: cache.size,
      keysLookedUp: lookUps.asked(),
      feedAgeSeconds: feed.ageSeconds(),
    }),
    async close() {
      await feed.close()
      await lastUsed.close()
      await pepperUpgrades.close()
    },
  }
}

/** @param answerMs a read of the feed that takes longer gives up its connection, because another one may work better */
function feedChanges(database: Database, answerMs: number): Pick<ChangeTable, 'read' | 'prune'> {
  const patient = createChangeTable({ db: database.connect() })
  const limited = createChangeTable({ db: database.connect({ statementTimeoutMs: answerMs }) })
  return {
    prune: patient.prune,
    // At startup the process itself is busy, so its first read may take longer.
    read: (horizon) => (horizon === undefined ? patient : limited).read(horizon),
  }
}

function follow(feed: ChangeFeed, cache: Pick<KeyCache, 'apply' | 'forgetAll'>): void {
  for (const kind of ['developer', 'application', 'subscription', 'key', 'certificate'] as const) {
    feed.onChange(kind, (change) => cache.apply(change))
  }
  feed.onLost(() => cache.forgetAll())
}
