import { randomBytes } from 'node:crypto'
import type { Database } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { createAlerts } from '../portal/stores/alerts/alerts.ts'
import { createApplicationFigures } from '../portal/stores/figures/application-figures.ts'
import { createApplicationSummaries } from '../portal/stores/figures/application-summaries.ts'
import { createApplications } from './applications/applications.ts'
import { createApprovals } from '../portal/stores/accounts/approvals.ts'
import { createAuditChain } from './audit/audit-chain.ts'
import { createAudit } from './audit/audit.ts'
import { createAvailability } from './availability/availability.ts'
import { createCallRecords } from './usage/call-records.ts'
import { createCertificates } from './certificates/certificates.ts'
import { createChanges } from './feed/changes.ts'
import { createConfigurations } from './feed/configurations.ts'
import { createToldCountSamples } from './feed/count-samples.ts'
import { createCredentials } from '../portal/stores/accounts/credentials.ts'
import { createDeletedApplications } from './applications/deleted-applications.ts'
import { createDevelopers } from '../portal/stores/accounts/developers.ts'
import { createDirectory } from '../portal/stores/figures/directory.ts'
import { createExceededUsages } from './usage/exceeded-usage.ts'
import { createFactorChallenges } from '../portal/stores/accounts/factor-challenges.ts'
import { createFactors } from '../portal/stores/accounts/factors.ts'
import { createIdentities } from '../portal/stores/accounts/identities.ts'
import { judgeKey } from './keys/judge-key.ts'
import { parseKey } from './keys/key-format.ts'
import type { Peppers } from './keys/key-mac.ts'
import { createKeyPeppers } from './keys/key-peppers.ts'
import { createFindKeyRecords } from './keys/key-record.ts'
import { createKeys } from './keys/keys.ts'
import { createLimitRequests } from '../portal/stores/alerts/limit-requests.ts'
import { createMailTokens } from '../portal/stores/accounts/mail-tokens.ts'
import { registryMigrations } from './migrations/index.ts'
import { createOperatorFigures } from '../portal/stores/figures/operator-figures.ts'
import { createOperators } from '../portal/stores/accounts/operators.ts'
import { createOverrides } from './applications/overrides.ts'
import { createOwnData } from '../portal/stores/accounts/own-data.ts'
import { createPartyNames } from '../portal/stores/figures/party-names.ts'
import { createPasswordResets } from '../portal/stores/accounts/password-resets.ts'
import { createPortalState } from '../portal/stores/accounts/portal-state.ts'
import { createProcesses } from './feed/processes.ts'
import { createProfiles } from '../portal/stores/accounts/profiles.ts'
import { createPublishedConfigurations } from './feed/published-configurations.ts'
import { createRefusals } from '../portal/stores/figures/refusals.ts'
import type { Caller } from './registry.ts'
import { createRehearsedUsages } from './usage/rehearsed-usage.ts'
import { createSandboxAuthority } from '../portal/stores/sandbox/sandbox-authority.ts'
import type { RegistrySchema } from './schema.ts'
import { createSealedSecrets } from '../portal/stores/accounts/sealed-secrets.ts'
import { createSecurityEventLog } from './audit/security-event-log.ts'
import { createSessions } from '../portal/stores/accounts/sessions.ts'
import { createSignUps } from '../portal/stores/accounts/sign-ups.ts'
import { createStaff } from '../portal/stores/accounts/staff.ts'
import { createSubscriptions } from './applications/subscriptions.ts'
import { createTerms } from '../portal/stores/accounts/terms.ts'
import { createUsageHistory } from './usage/usage-history.ts'
import { createUsageReport } from './usage/usage-report.ts'
import { createDeliveries } from '../portal/stores/alerts/webhook-queue.ts'

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
