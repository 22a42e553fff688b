import { Counter, type Registry } from 'prom-client'

/** How an attempt to sign in ended. */
export const signInResults = [
  'signed-in',
  'refused',
  'suspended',
  'unapproved',
  'throttled',
] as const
export type SignInResult = (typeof signInResults)[number]

/** The portal's metrics. Labels come from our own tables only, so their number is bounded. */
export interface PortalMetrics {
  /** @param route its pattern; undefined if no route has this path */
  countRequest(request: { route: string | undefined; method: string; status: number }): void
  countSignIn(result: SignInResult): void
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function createPortalMetrics(registry: Registry): PortalMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'portal_requests_total',
    help: 'Requests to the portal by route, method and status class',
    labelNames: ['route', 'method', 'status_class'],
    registers,
  })
  const signIns = new Counter({
    name: 'portal_sign_ins_total',
    help: 'Attempts to sign in by result',
    labelNames: ['result'],
    registers,
  })
  for (const result of signInResults) signIns.inc({ result }, 0)
  return {
    countRequest({ route = 'none', method, status }) {
      requests.inc({
        route,
        method: methods.has(method) ? method : 'other',
        status_class: `${Math.floor(status / 100)}xx`,
      })
    },
    countSignIn: (result) => signIns.inc({ result }),
  }
}
