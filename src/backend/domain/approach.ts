import type { ScaApproach } from './authorisation.ts'

/** The headers with which the TPP states its preferences; undefined: not sent. */
export interface ScaPreferences {
  readonly redirectPreferred: boolean | undefined
  readonly decoupledPreferred: boolean | undefined
  readonly redirectUri: string | undefined
  /** Whether the sandbox has a page to return to for a redirect without an address. */
  readonly hasReturnPage: boolean
}

/**
 * Chooses how the PSU will approve a payment or consent (docs/bank.md, Approval):
 * decoupled if the TPP prefers it, embedded if it rejects redirect, otherwise
 * redirect if the PSU can return to the TPP, else embedded.
 *
 * @returns undefined for a contradiction: redirect preferred without a TPP-Redirect-URI
 */
export function chooseApproach(preferences: ScaPreferences): ScaApproach | undefined {
  if (isContradiction(preferences)) return undefined
  if (preferences.decoupledPreferred === true) return 'DECOUPLED'
  if (preferences.redirectPreferred === false) return 'EMBEDDED'
  return canReturn(preferences) ? 'REDIRECT' : 'EMBEDDED'
}

/**
 * {@link chooseApproach} for mandates and cancellations: no PUT can approve them,
 * because the interface has no authorisation path for them.
 *
 * @returns undefined for the same contradiction
 */
export function chooseApproachWithoutPath(preferences: ScaPreferences): ScaApproach | undefined {
  if (isContradiction(preferences)) return undefined
  const isRedirectUnwanted =
    preferences.decoupledPreferred === true || preferences.redirectPreferred === false
  return isRedirectUnwanted || !canReturn(preferences) ? 'DECOUPLED' : 'REDIRECT'
}

function isContradiction(preferences: ScaPreferences): boolean {
  return preferences.redirectPreferred === true && !canReturn(preferences)
}

/** Without an address, only calls that prefer redirect get redirect. Others keep the approach that a real bank chooses. */
function canReturn({ redirectUri, redirectPreferred, hasReturnPage }: ScaPreferences): boolean {
  return redirectUri !== undefined || (hasReturnPage && redirectPreferred === true)
}
