/** Headers of every page: no content from other sites, no frames, no caching. */
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
    "font-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/**
 * Of a page whose form may lead away: browsers apply form-action to the redirect
 * that follows a form, too. What could mean something in the policy was refused
 * when the address came.
 *
 * @param addresses where the decision may lead
 */
export function formHeaders(addresses: readonly (string | undefined)[]) {
  const origins = addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? [])
  return { 'content-security-policy': policy([...new Set(origins)]) }
}
