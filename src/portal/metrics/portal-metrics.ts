// This folder measures the portal. This file counts requests and sign-ins. `watch-applications.ts` and
// `watch-backlog.ts` read figures from the database at intervals, and `top-applications.ts` finds the applications
// with the most calls, which operators see, too. Labels come from our own tables or from a bounded list, so the number
// of series is bounded.

import { Counter, Histogram, type Registry } from 'prom-client'

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

/** A finished request. */
export interface PortalRequest {
  /** Pattern of its route; undefined if no route has this path. */
  readonly route: string | undefined
  readonly method: string
  readonly status: number
  /** Undefined if it was refused before its header could be read. */
  readonly seconds?: number
}

/** The portal's metrics. Labels come from our own tables only, so their number is bounded. */
export interface PortalMetrics {
  countRequest(request: PortalRequest): void
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
  const duration = new Histogram({
    name: 'portal_request_duration_seconds',
    help: 'Time from the header of a request to the end of its answer, by area: page, api (developers) or operator',
    labelNames: ['area'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  for (const area of areas) duration.zero({ area })
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
    countRequest({ route = 'none', method, status, seconds }) {
      requests.inc({
        route,
        method: methods.has(method) ? method : 'other',
        status_class: `${Math.floor(status / 100)}xx`,
      })
      if (seconds !== undefined) duration.observe({ area: areaOf(route) }, seconds)
    },
    countSignIn: (result, method = 'password') => signIns.inc({ method, result }),
  }
}

const areas = ['page', 'api', 'operator'] as const

function areaOf(route: string): (typeof areas)[number] {
  if (route.startsWith('/api/operator/')) return 'operator'
  return route.startsWith('/api/') ? 'api' : 'page'
}
