import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database.ts'
import { migrate } from '../../platform/migrate.ts'
import { type Applications, createApplications } from './applications.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { type Audit, createAudit } from './audit.ts'
import { type CallRecords, createCallRecords } from './call-records.ts'
import { type Changes, createChanges } from './changes.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { createDevelopers, type Developers } from './developers.ts'
import { createDirectory, type Directory } from './directory.ts'
import { judgeKey } from './judge-key.ts'
import { parseKey } from './key-format.ts'
import type { Peppers } from './key-mac.ts'
import { createFindKeyRecords } from './key-record.ts'
import { createKeys, type Keys } from './keys.ts'
import { createMailTokens, type MailTokens } from './mail-tokens.ts'
import { registryMigrations } from './migrations/index.ts'
import { createOperators, type Operators } from './operators.ts'
import { createOverrides, type Overrides } from './overrides.ts'
import { createPasswordResets, type PasswordResets } from './password-resets.ts'
import { createPortalState, type PortalState } from './portal-state.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import { createRefusals, type Refusals } from './refusals.ts'
import type { Caller } from './registry.ts'
import type { RegistrySchema } from './schema.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignUps, type SignUps } from './sign-ups.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { createUsageHistory, type UsageHistory } from './usage-history.ts'

/** All stores of the registry, for the portal and the command line. */
export interface RegistryStores {
  readonly developers: Developers
  readonly applications: Applications
  readonly subscriptions: Subscriptions
  readonly keys: Keys
  readonly overrides: Overrides
  readonly audit: Audit
  readonly changes: Changes
  readonly portalState: PortalState
  readonly operators: Operators
  readonly approvals: Approvals
  readonly directory: Directory
  readonly refusals: Refusals
  readonly usage: UsageHistory
  readonly calls: CallRecords
  readonly signUps: SignUps
  readonly credentials: Credentials
  readonly passwordResets: PasswordResets
  readonly profiles: Profiles
  readonly mailTokens: MailTokens
  readonly sessions: Sessions
  /** Finds the owner of a key directly in the database, for a dry run. Never `unreachable`. @throws when the database does not answer */
  recognise(key: string): Promise<Caller | 'invalid'>
}

export interface RegistryStoresOptions {
  readonly database: Database
  readonly peppers: Peppers
  readonly keysPerApplication: number
  readonly applicationsPerDeveloper: number
  readonly now?: () => number
  readonly randomBytes?: (size: number) => Buffer
}

/**
 * Migrates the registry's tables and opens its stores.
 *
 * @throws when the database does not answer or a migration fails
 */
export async function openRegistryStores(options: RegistryStoresOptions): Promise<RegistryStores> {
  await migrate(options.database, { name: 'registry', migrations: registryMigrations })
  const db = options.database.connect<RegistrySchema>()
  return {
    developers: createDevelopers({ db }),
    applications: createApplications({ db, perDeveloper: options.applicationsPerDeveloper }),
    subscriptions: createSubscriptions({ db }),
    keys: createKeys({
      db,
      peppers: options.peppers,
      perApplication: options.keysPerApplication,
      now: options.now ?? Date.now,
      randomBytes: options.randomBytes ?? randomBytes,
    }),
    overrides: createOverrides({ db, now: options.now ?? Date.now }),
    audit: createAudit({ db }),
    changes: createChanges({ db }),
    portalState: createPortalState({ db }),
    operators: createOperators({ db }),
    approvals: createApprovals({ db }),
    directory: createDirectory({ db }),
    usage: createUsageHistory({ db }),
    calls: createCallRecords({ db }),
    refusals: createRefusals({ db, now: options.now ?? Date.now }),
    signUps: createSignUps({ db }),
    credentials: createCredentials({ db }),
    passwordResets: createPasswordResets({ db }),
    profiles: createProfiles({ db }),
    mailTokens: createMailTokens({ db }),
    sessions: createSessions({ db }),
    async recognise(text) {
      const key = parseKey(text)
      if (key === undefined) return 'invalid'
      const records = await createFindKeyRecords({ db })([key.id])
      return judgeKey(key, records.get(key.id), {
        peppers: options.peppers,
        nowMs: (options.now ?? Date.now)(),
      })
    },
  }
}
