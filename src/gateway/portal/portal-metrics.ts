import { Counter, type Registry } from 'prom-client'

/** How an attempt to sign in ended. */
export const signInResults = [
  'signed-in',
  'refused',
  'factor-refused',
  'suspended',
  'unapproved',
  'unenrolled',
  'throttled',
  'unavailable',
] as const
export type SignInResult = (typeof signInResults)[number]

/** What a person signs in with. */
export const signInMethods = ['password', 'oidc'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** The portal's metrics. Labels come from our own tables only, so their number is bounded. */
export interface PortalMetrics {
  /** @param route its pattern; undefined if no route has this path */
  countRequest(request: { route: string | undefined; method: string; status: number }): void
  /** @param method (Default: password) */
  countSignIn(result: SignInResult, method?: SignInMethod): void
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
    help: 'Attempts to sign in by method and result',
    labelNames: ['method', 'result'],
    registers,
  })
  for (const method of signInMethods) {
    for (const result of signInResults) signIns.inc({ method, result }, 0)
  }
  return {
    countRequest({ route = 'none', method, status }) {
      requests.inc({
        route,
        method: methods.has(method) ? method : 'other',
        status_class: `${Math.floor(status / 100)}xx`,
      })
    },
    countSignIn: (result, method = 'password') => signIns.inc({ method, result }),
  }
}
