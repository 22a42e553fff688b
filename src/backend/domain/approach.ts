import type { ScaApproach } from './authorisation.ts'

/** What the TPP asked for; undefined where the header was not sent. */
export interface ApproachWish {
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
export function chooseApproach(wish: ApproachWish): ScaApproach | undefined {
  if (isContradiction(wish)) return undefined
  if (wish.decoupledPreferred === true) return 'DECOUPLED'
  if (wish.redirectPreferred === false) return 'EMBEDDED'
  return canReturn(wish) ? 'REDIRECT' : 'EMBEDDED'
}

/**
 * The same for what no PUT can approve, because its interface has no
 * authorisation path: mandates and cancellations.
 *
 * @returns undefined for the same contradiction
 */
export function chooseApproachWithoutPath(wish: ApproachWish): ScaApproach | undefined {
  if (isContradiction(wish)) return undefined
  const isRedirectUnwanted = wish.decoupledPreferred === true || wish.redirectPreferred === false
  return isRedirectUnwanted || !canReturn(wish) ? 'DECOUPLED' : 'REDIRECT'
}

function isContradiction(wish: ApproachWish): boolean {
  return wish.redirectPreferred === true && !canReturn(wish)
}

/** Without an address, only a call that asks for a redirect gets one: other calls keep the approach of a real bank. */
function canReturn({ redirectUri, redirectPreferred, hasReturnPage }: ApproachWish): boolean {
  return redirectUri !== undefined || (hasReturnPage && redirectPreferred === true)
}
