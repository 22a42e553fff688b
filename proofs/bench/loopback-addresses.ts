const networks = { slow: '127.0.2', healthy: '127.0.3' } as const
/**
 * Addresses of each kind of caller. With fewer, the portal's limits per network would end 500 sign-ins before a password is
 * compared.
 */
const addresses = 250

/** One of the addresses of this machine; no two kinds of callers share any. */
export function addressIn(kind: keyof typeof networks, caller: number): string {
  return `${networks[kind]}.${1 + (caller % addresses)}`
}
