const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * The origin of a URL as browsers send it in `Origin`, and on loopback also its
 * other names with the same scheme and port. These lead to the same place (our
 * choice; browsers treat them as three). Compare the field's value unchanged:
 * other case, a trailing slash or `null` does not match.
 *
 * @param url `https://developer.bank.example`
 */
export function sameOrigins(url: string): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(url)
  if (!loopbackHosts.includes(hostname)) return new Set([origin])
  const end = port === '' ? '' : `:${port}`
  return new Set(loopbackHosts.map((host) => `${protocol}//${host}${end}`))
}
