import type { Bank } from '../bank.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'

/** The result of an approval page. */
export interface Outcome {
  readonly isApproved: boolean
  /** What the application has to confirm with, if it has to. */
  readonly confirmationCode?: string
}

/**
 * Where the browser goes after a decision: to the address that the request
 * named, with only the code added; else to the portal's return page, with the
 * outcome and the id of the resource in the query.
 *
 * @returns undefined where there is neither
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

/** Appends a parameter to the query of an address and leaves the rest as the TPP has written it. */
function withParameter(address: string, parameter: string): string {
  const [before = '', ...fragment] = address.split(/(?=#)/)
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&'
  return `${before}${separator}${parameter}${fragment.join('')}`
}
