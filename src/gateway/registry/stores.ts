import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database.ts'
import { migrate } from '../../platform/migrate.ts'
import { createAlerts } from './alerts.ts'
import { createApplicationFigures } from './application-figures.ts'
import { createApplicationSummaries } from './application-summaries.ts'
import { createApplications } from './applications.ts'
import { createApprovals } from './approvals.ts'
import { createAuditChain } from './audit/audit-chain.ts'
import { createAudit } from './audit.ts'
import { createAvailability } from './availability/availability.ts'
import { createCallRecords } from './call-records.ts'
import { createCertificates } from './certificates.ts'
import { createChanges } from './changes.ts'
import { createConfigurations } from './configurations.ts'
import { createToldCountSamples } from './count-samples.ts'
import { createCredentials } from './credentials.ts'
import { createDeletedApplications } from './deleted-applications.ts'
import { createDevelopers } from './developers.ts'
import { createDirectory } from './directory.ts'
import { createExceededUsages } from './exceeded-usage.ts'
import { createFactorChallenges } from './factor-challenges.ts'
import { createFactors } from './factors.ts'
import { createIdentities } from './identities.ts'
import { judgeKey } from './judge-key.ts'
import { parseKey } from './key-format.ts'
import type { Peppers } from './key-mac.ts'
import { createKeyPeppers } from './key-peppers.ts'
import { createFindKeyRecords } from './key-record.ts'
import { createKeys } from './keys.ts'
import { createLimitRequests } from './limit-requests.ts'
import { createMailTokens } from './mail-tokens.ts'
import { registryMigrations } from './migrations/index.ts'
import { createOperatorFigures } from './operator-figures.ts'
import { createOperators } from './operators.ts'
import { createOverrides } from './overrides.ts'
import { createOwnData } from './own-data.ts'
import { createPartyNames } from './party-names.ts'
import { createPasswordResets } from './password-resets.ts'
import { createPortalState } from './portal-state.ts'
import { createProcesses } from './processes.ts'
import { createProfiles } from './profiles.ts'
import { createPublishedConfigurations } from './published-configurations.ts'
import { createRefusals } from './refusals.ts'
import type { Caller } from './registry.ts'
import { createRehearsedUsages } from './rehearsed-usage.ts'
import { createSandboxAuthority } from './sandbox-authority.ts'
import type { RegistrySchema } from './schema.ts'
import { createSealedSecrets } from './sealed-secrets.ts'
import { createSecurityEventLog } from './security-event-log.ts'
import { createSessions } from './sessions.ts'
import { createSignUps } from './sign-ups.ts'
import { createStaff } from './staff.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTerms } from './terms.ts'
import { createUsageHistory } from './usage-history.ts'
import { createUsageReport } from './usage-report.ts'
import { createDeliveries } from './webhook-queue.ts'

/** All stores of the registry, for the portal and the command line. */
export type RegistryStores = Awaited<ReturnType<typeof openRegistryStores>>

export interface RegistryStoresOptions {
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
 * Migrates the registry's tables and opens its stores.
 *
 * @throws when the database does not answer or a migration fails
 */
export async function openRegistryStores(options: RegistryStoresOptions) {
  const { migrateOnStart } = options
  await migrate(options.database, {
    name: 'registry',
    migrations: registryMigrations,
    migrateOnStart,
  })
  const db = options.database.connect<RegistrySchema>()
  return {
    developers: createDevelopers({ db }),
    applications: createApplications({ db, perDeveloper: options.applicationsPerDeveloper }),
    applicationSummaries: createApplicationSummaries({ db }),
    deletedApplications: createDeletedApplications({ db }),
    subscriptions: createSubscriptions({ db }),
    keys: createKeys({
      db,
      peppers: options.peppers,
      perApplication: options.keysPerApplication,
      daysMax: options.keyMaxDays ?? 0,
      now: options.now ?? Date.now,
      randomBytes: options.randomBytes ?? randomBytes,
    }),
    certificates: createCertificates({ db, now: options.now ?? Date.now }),
    sandboxAuthority: createSandboxAuthority({
      db,
      peppers: options.peppers,
      now: options.now ?? Date.now,
    }),
    keyPeppers: createKeyPeppers({ db }),
    alerts: createAlerts({ db }),
    deliveries: createDeliveries({ db }),
    overrides: createOverrides({ db, now: options.now ?? Date.now }),
    limitRequests: createLimitRequests({ db, now: options.now ?? Date.now }),
    audit: createAudit({ db }),
    auditChain: createAuditChain({ db, peppers: options.peppers }),
    securityEvents: createSecurityEventLog({ db }),
    staff: createStaff({ db }),
    changes: createChanges({ db }),
    processes: createProcesses({ db }),
    countSamples: createToldCountSamples({ db }),
    configurations: createConfigurations({ db }),
    portalState: createPortalState({ db }),
    publishedConfigurations: createPublishedConfigurations({ db }),
    operators: createOperators({ db }),
    identities: createIdentities({ db }),
    approvals: createApprovals({ db }),
    directory: createDirectory({ db }),
    usage: createUsageHistory({ db }),
    rehearsedUsage: createRehearsedUsages({ db }),
    exceededUsage: createExceededUsages({ db }),
    availability: createAvailability({ db, now: options.now ?? Date.now }),
    calls: createCallRecords({ db }),
    figures: createOperatorFigures({ db }),
    applicationFigures: createApplicationFigures({ db, now: options.now ?? Date.now }),
    usageReport: createUsageReport({ db }),
    partyNames: createPartyNames({ db }),
    refusals: createRefusals({ db, now: options.now ?? Date.now }),
    signUps: createSignUps({ db }),
    credentials: createCredentials({ db }),
    passwordResets: createPasswordResets({ db }),
    profiles: createProfiles({ db }),
    terms: createTerms({ db }),
    ownData: createOwnData({ db }),
    mailTokens: createMailTokens({ db }),
    sessions: createSessions({ db }),
    factors: createFactors({ db }),
    sealedSecrets: createSealedSecrets({ db }),
    factorChallenges: createFactorChallenges({ db }),
    /** Finds the owner of a key directly in the database, for a dry run. Never `unreachable`. @throws when the database does not answer */
    async recognise(text: string): Promise<Caller | 'invalid'> {
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
