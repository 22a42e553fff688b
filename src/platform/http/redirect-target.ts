import { isLoopback } from './loopback.ts'

/** Characters of host names. The URL parser accepts more, which would have a meaning in a Content-Security-Policy. */
const hostCharacters = /^[A-Za-z0-9.:[\]_-]+$/

/**
 * Whether a bank may send a browser to an address after an approval. A
 * confirmation code travels with the redirect, so only a tester's own machine
 * may be reached without TLS.
 */
export function isRedirectTarget(url: URL): boolean {
  const { protocol, hostname, host, username, password } = url
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && username === '' && password === '' && hostCharacters.test(host)
}
