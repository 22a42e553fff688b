import type { ScaApproach } from './authorisation.ts'

/** What the TPP asked for; undefined where the header was not sent. */
export interface ApproachPreferences {
  readonly redirectPreferred: boolean | undefined
  readonly decoupledPreferred: boolean | undefined
  readonly redirectUri: string | undefined
  /** Whether the sandbox has a page to return to for a redirect without an address. */
  readonly hasReturnPage: boolean
}

/**
 * Chooses how the PSU will approve a payment or consent (docs/bank.md, Approval):
 * decoupled when asked for, embedded when redirect is refused, otherwise
 * redirect when the TPP says where to return to, else embedded.
 *
 * @returns undefined for a contradiction: redirect wanted, but no TPP-Redirect-URI
 */
export function chooseApproach(preferences: ApproachPreferences): ScaApproach | undefined {
  if (isContradiction(preferences)) return undefined
  if (preferences.decoupledPreferred === true) return 'DECOUPLED'
  if (preferences.redirectPreferred === false) return 'EMBEDDED'
  return canReturn(preferences) ? 'REDIRECT' : 'EMBEDDED'
}

/**
 * The same for what no PUT can approve, because its interface has no
 * authorisation path: mandates and cancellations.
 *
 * @returns undefined for the same contradiction
 */
export function chooseApproachWithoutPath(
  preferences: ApproachPreferences,
): ScaApproach | undefined {
  if (isContradiction(preferences)) return undefined
  const isRedirectUnwanted =
    preferences.decoupledPreferred === true || preferences.redirectPreferred === false
  return isRedirectUnwanted || !canReturn(preferences) ? 'DECOUPLED' : 'REDIRECT'
}

function isContradiction(preferences: ApproachPreferences): boolean {
  return preferences.redirectPreferred === true && !canReturn(preferences)
}

/** Without an address, only a call that asks for a redirect gets one: other calls keep the approach of a real bank. */
function canReturn({
  redirectUri,
  redirectPreferred,
  hasReturnPage,
}: ApproachPreferences): boolean {
  return redirectUri !== undefined || (hasReturnPage && redirectPreferred === true)
}
