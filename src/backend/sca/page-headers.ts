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
 * Headers of a page whose form may lead to another site. Browsers also apply
 * form-action to the redirect after a form. An origin has no character with a
 * meaning in the policy, because the bank has rejected such addresses.
 *
 * @param addresses possible targets of the redirect
 */
export function formHeaders(addresses: readonly (string | undefined)[]) {
  const origins = addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? [])
  return { 'content-security-policy': policy([...new Set(origins)]) }
}
