import type { Settings } from '../../platform/settings/settings.ts'
import type { ProvidedPerson } from '../stores/accounts/identities.ts'
import { refused } from './refused.ts'

/** Claims of the signed ID token and of UserInfo; the ID token wins. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string
  readonly sub: string
}

/** The provider's clock may be wrong by this many seconds. A proof of that age is fresh, too. */
const clockToleranceSeconds = 30

type ClaimSettings = Pick<Settings, 'oidcOperatorGroup' | 'oidcGroupsClaim' | 'oidcAcrValues'>

/**
 * The person that the claims describe.
 *
 * @throws {PortalError} PROVIDER_REFUSED: an `acr` that was not asked for, or no verified email address
 */
export function personOf(claims: Claims, settings: ClaimSettings): ProvidedPerson {
  const { iss: issuer, sub: subject, email, name, acr } = claims
  const { oidcAcrValues, oidcOperatorGroup, oidcGroupsClaim } = settings
  if (oidcAcrValues.length > 0 && !oidcAcrValues.some((value) => value === acr)) {
    throw refused(
      'The sign-in service did not check you as strictly as this portal requires. Sign in there with a second factor.',
    )
  }
  if (typeof email !== 'string' || !isAddress(email) || claims['email_verified'] !== true) {
    throw refused(
      'The sign-in service has no verified email address for you. Ask its administrators to add and verify one.',
    )
  }
  const groups = claims[oidcGroupsClaim]
  const isMember = Array.isArray(groups) && groups.includes(oidcOperatorGroup)
  return {
    identity: { issuer, subject },
    email,
    name: typeof name === 'string' ? name : '',
    isOperator: oidcOperatorGroup === '' ? undefined : isMember,
  }
}

/**
 * Makes sure that the person signed in at the provider after the portal asked.
 *
 * @param beganAt milliseconds since 1970
 * @throws {PortalError} PROVIDER_REFUSED
 */
export function checkIsFresh(claims: Claims, beganAt: number): void {
  const at = claims['auth_time']
  const earliest = Math.floor(beganAt / 1000) - clockToleranceSeconds
  if (typeof at === 'number' && at >= earliest) return
  throw refused('The sign-in service did not ask you to sign in again. Start again.')
}

/** As the registry stores addresses. */
function isAddress(email: string): boolean {
  return email.length <= 254 && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email)
}
