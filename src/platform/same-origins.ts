const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * The origin of an address as browsers write it in `Origin`, and on loopback
 * its other names with the same scheme and port: there they are one place
 * (our choice; to a browser they are three). Whoever compares takes the text as
 * it came: another case, a trailing slash or `null` is none of them.
 *
 * @param url `https://developer.bank.example`
 */
export function sameOrigins(url: string): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(url)
  if (!loopbackHosts.includes(hostname)) return new Set([origin])
  const end = port === '' ? '' : `:${port}`
  return new Set(loopbackHosts.map((host) => `${protocol}//${host}${end}`))
}
