import type { ScaApproach } from './authorisation.ts'

/** What the TPP asked for; undefined where the header was not sent. */
export interface ApproachWish {
  readonly redirectPreferred: boolean | undefined
  readonly decoupledPreferred: boolean | undefined
  readonly redirectUri: string | undefined
}

/**
 * Chooses how the PSU will approve a payment or consent (docs/bank.md, Approval):
 * decoupled when asked for, embedded when redirect is refused, otherwise
 * redirect when the TPP says where to return to, else embedded.
 *
 * @returns undefined for a contradiction: redirect wanted, but no TPP-Redirect-URI
 */
export function chooseApproach(wish: ApproachWish): ScaApproach | undefined {
  if (wish.redirectPreferred === true && wish.redirectUri === undefined) return undefined
  if (wish.decoupledPreferred === true) return 'DECOUPLED'
  if (wish.redirectPreferred === false) return 'EMBEDDED'
  return wish.redirectUri === undefined ? 'EMBEDDED' : 'REDIRECT'
}

/**
 * The same for what no PUT can approve, because its interface has no
 * authorisation path: mandates and cancellations.
 *
 * @returns undefined for the same contradiction
 */
export function chooseApproachWithoutPath(wish: ApproachWish): ScaApproach | undefined {
  if (wish.redirectPreferred === true && wish.redirectUri === undefined) return undefined
  const isRedirectUnwanted = wish.decoupledPreferred === true || wish.redirectPreferred === false
  return wish.redirectUri === undefined || isRedirectUnwanted ? 'DECOUPLED' : 'REDIRECT'
}
