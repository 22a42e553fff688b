const networks = { slow: '127.0.2', healthy: '127.0.3' } as const
/** Of each kind of caller. */
const addresses = 8

/** One of a few addresses of this machine; no two kinds of callers share any. */
export function addressIn(kind: keyof typeof networks, caller: number): string {
  return `${networks[kind]}.${1 + (caller % addresses)}`
}
