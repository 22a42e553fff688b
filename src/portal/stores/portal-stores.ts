// This folder has the portal's own tables. Read this file first: it lists the stores. `accounts/` has people, sessions
// and proofs of identity, `alerts/` what applications are notified of, `mail/` the queue of emails and what those about
// keys report, `limit-requests/` requests for more calls, `figures/` what pages show of usage, and `sandbox/` test
// certificates. `schema.ts` describes the tables, which the registry's migrations create; `stores.ts` opens all stores
// for a command. Stores know no HTTP and no texts of the page.

import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.ts'
import type { Peppers } from '../../registry/keys/key-mac.ts'
import { createApprovals } from './accounts/approvals.ts'
import { createCredentials } from './accounts/credentials.ts'
import { createDevelopers } from './accounts/developers.ts'
import { createFactorChallenges } from './accounts/factor-challenges.ts'
import { createFactors } from './accounts/factors.ts'
import { createIdentities } from './accounts/identities.ts'
import { createMailTokens } from './accounts/mail-tokens.ts'
import { createOperators } from './accounts/operators.ts'
import { createOwnData } from './accounts/own-data.ts'
import { createPageKeys } from './accounts/page-keys.ts'
import { createPasswordResets } from './accounts/password-resets.ts'
import { createPortalState } from './accounts/portal-state.ts'
import { createProfiles } from './accounts/profiles.ts'
import { createSealedSecrets } from './accounts/sealed-secrets.ts'
import { createSessions } from './accounts/sessions.ts'
import { createSignUps } from './accounts/sign-ups.ts'
import { createTerms } from './accounts/terms.ts'
import { createAlerts } from './alerts/alerts.ts'
import { createDeliveries } from './alerts/webhook-queue.ts'
import { createApplicationFigures } from './figures/application-figures.ts'
import { createApplicationSummaries } from './figures/application-summaries.ts'
import { createDirectory } from './figures/directory.ts'
import { createOperatorFigures } from './figures/operator-figures.ts'
import { createPartyNames } from './figures/party-names.ts'
import { createRefusals } from './figures/refusals.ts'
import { createLimitRequests } from './limit-requests/limit-requests.ts'
import { createSandboxAuthority } from './sandbox/sandbox-authority.ts'
import type { PortalSchema } from './schema.ts'

/**
 * The stores of the portal's own tables: accounts, sessions, second factors,
 * alerts and requests; and figures for its pages.
 */
export type PortalStores = ReturnType<typeof openPortalStores>

export interface PortalStoresOptions {
  /** Its tables exist: `openKeyStores` of the registry makes them. */
  readonly database: Database
  readonly peppers: Peppers
  readonly now?: () => number
}

/** Opens these stores; asks the database nothing yet. */
export function openPortalStores({ database, peppers, now = Date.now }: PortalStoresOptions) {
  const db = database.connect<PortalSchema>()
  return {
    developers: createDevelopers({ db }),
    operators: createOperators({ db }),
    identities: createIdentities({ db }),
    approvals: createApprovals({ db }),
    signUps: createSignUps({ db }),
    credentials: createCredentials({ db }),
    passwordResets: createPasswordResets({ db }),
    mailTokens: createMailTokens({ db }),
    sessions: createSessions({ db }),
    pageKeys: createPageKeys({ db, peppers, now, randomBytes }),
    factors: createFactors({ db }),
    factorChallenges: createFactorChallenges({ db }),
    sealedSecrets: createSealedSecrets({ db }),
    profiles: createProfiles({ db }),
    terms: createTerms({ db }),
    ownData: createOwnData({ db }),
    portalState: createPortalState({ db }),
    alerts: createAlerts({ db }),
    deliveries: createDeliveries({ db }),
    limitRequests: createLimitRequests({ db, now }),
    directory: createDirectory({ db }),
    partyNames: createPartyNames({ db }),
    applicationSummaries: createApplicationSummaries({ db }),
    applicationFigures: createApplicationFigures({ db, now }),
    figures: createOperatorFigures({ db }),
    refusals: createRefusals({ db, now }),
    sandboxAuthority: createSandboxAuthority({ db, peppers, now }),
  }
}
