import { Resolver } from 'node:dns/promises'

const timeoutMs = 2_000
const tries = 2
/** For the IPv6 addresses of a name that has others. */
const restMs = 500

/**
 * Finds the addresses of a name, IPv4 before IPv6.
 *
 * It asks the DNS servers of the system itself. The system's own look-up holds
 * one of Node's few threads until it answers and cannot be given up: names whose
 * servers are silent, which developers choose, would hold up file access and
 * passwords. So `/etc/hosts` and search domains do not count here, but for
 * `localhost` (RFC 6761, 6.3).
 *
 * @param servers to ask, as `address:port` (Default: those of the system)
 * @throws an error with the code of DNS (ENOTFOUND, ENODATA, ETIMEOUT, …) when
 * there is no address; the reason of the signal
 */
export async function lookUp(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  signal.throwIfAborted()
  if (/^(?:.+\.)?localhost\.?$/i.test(name)) return ['127.0.0.1']
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const ofIpv4 = resolver.resolve4(name)
    // Some name servers never answer about IPv6.
    void ofIpv4.then(
      () => setTimeout(cancel, restMs).unref(),
      () => undefined,
    )
    const found = await Promise.allSettled([ofIpv4, resolver.resolve6(name)])
    signal.throwIfAborted()
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const [first] = found
    if (addresses.length === 0 && first?.status === 'rejected') throw first.reason
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
