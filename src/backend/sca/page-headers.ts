import type { Authorisation } from '../stores/authorisations.ts'

/** Of every page: nothing from elsewhere, in no frame, kept by nobody. */
export const strictHeaders = {
  'content-security-policy': policy([]),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

function policy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** Where the decision leads; what could mean something in the policy was refused when the address came. */
function originsOf({ redirectUri, nokRedirectUri }: Authorisation): string[] {
  const origins = [redirectUri, nokRedirectUri].flatMap((uri) => URL.parse(uri ?? '')?.origin ?? [])
  return [...new Set(origins)]
}

/** Of a page whose form may lead to the TPP: browsers apply form-action to the redirect that follows a form, too. */
export function formHeaders(authorisation: Authorisation) {
  return { 'content-security-policy': policy(originsOf(authorisation)) }
}
