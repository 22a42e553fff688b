import type { Bank } from '../bank.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'

/** The result of an approval page. */
export interface Outcome {
  readonly isApproved: boolean
  /** The code for an approval that the application has to confirm. */
  readonly confirmationCode?: string
}

/**
 * The target of the browser after a decision: the address in the request, with only
 * the code added; otherwise the portal's return page, with the outcome and the id of
 * the resource in the query.
 *
 * @returns undefined if the request has no address and the bank no such page
 */
export function returnAddress(
  { sandbox }: Pick<Bank, 'sandbox'>,
  authorisation: Authorisation,
  { isApproved, confirmationCode }: Outcome,
): string | undefined {
  const { redirectUri, nokRedirectUri } = authorisation
  const named = isApproved ? redirectUri : (nokRedirectUri ?? redirectUri)
  const address = named ?? returnPage(sandbox, authorisation, isApproved)
  if (address === undefined || confirmationCode === undefined) return address
  return withParameter(address, `confirmationCode=${confirmationCode}`)
}

function returnPage(
  sandbox: Bank['sandbox'],
  authorisation: Authorisation,
  isApproved: boolean,
): string | undefined {
  const { kind, id } = parentOf(authorisation)
  const outcome = isApproved ? 'approved' : 'refused'
  return sandbox && `${sandbox.returnUrl()}?outcome=${outcome}&${kind}Id=${id}`
}

/** Appends a parameter to the query of an address and keeps the rest unchanged. */
function withParameter(address: string, parameter: string): string {
  const [before = '', ...fragment] = address.split(/(?=#)/)
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&'
  return `${before}${separator}${parameter}${fragment.join('')}`
}
