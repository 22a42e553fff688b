// This folder predicts what an application's recorded calls would meet in another version. Read this file first: it
// makes the prediction without a database. `replay-application.ts` reads the records for it, `route-in-version.ts`
// finds the route of a call, `replayed-limits.ts` counts against the plan, and `instead.ts` looks for what replaces a
// missing operation. No call is sent, and no counter is read.

import type { ApiVersion, Catalogue, Operation, Plan } from '../../catalogue/catalogue.ts'
import { type CallsOverride, effectiveLimits } from '../../catalogue/effective-limits.ts'
import { createRouter } from '../../catalogue/router.ts'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'
import { findInstead, type Instead } from './instead.ts'
import { createReplayedLimits, type ReplayedLimits } from './replayed-limits.ts'
import { type Route, routeInVersion } from './route-in-version.ts'

/** What the replay needs of a recorded call. */
export interface ReplayableCall {
  readonly at: Date
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  /** `forwarded`, `aborted`, `cut` or the code of the refusal. */
  readonly outcome: string
  /** Null: the limit was not asked. */
  readonly decision: string | null
  readonly status: number
}

/** Calls that would be refused with one code. */
export interface PredictedRefusal {
  readonly code: string
  readonly status: number
  readonly calls: number
  /**
   * `version`: the new version has no such operation. `limit`: its limit would be used up. `call`: the gateway refused
   * the recorded call for its key, address, certificate or form, and refuses it in every version.
   */
  readonly because: 'version' | 'limit' | 'call'
}

/** The predicted result of the recorded calls to one operation. */
export interface ReplayedOperation {
  /** The operation in the old version. */
  readonly operation: Operation
  readonly calls: number
  /** The part of these calls that the gateway allowed when they were made. */
  readonly allowedBefore: number
  readonly allowed: number
  /** Most calls first. */
  readonly refusals: readonly PredictedRefusal[]
  /** Undefined unless the new version lacks the operation. */
  readonly instead: Instead | undefined
}

/** The predicted result of an application's recorded calls to one version under another. */
export interface Replay {
  /** Calls to the old version for which something is predicted. */
  readonly calls: number
  readonly allowed: number
  readonly refused: number
  /** The part of the refused calls whose operation the new version lacks. */
  readonly missing: number
  /** Calls to the old version without an operation. Records hold no paths, so nothing is predicted for them. */
  readonly unknown: number
  /**
   * Calls to the old version that ended for a passing reason: an outage, an overload, too many at once, a suspension,
   * or the client gave up. It says nothing about the new version, so nothing is predicted for them.
   */
  readonly leftOut: number
  /** When the first and the last of all these calls began; null without calls. */
  readonly since: Date | null
  readonly until: Date | null
  /** The operations that were called: those that the new version lacks first, then most calls first. */
  readonly operations: readonly ReplayedOperation[]
}

export interface ReplayOptions {
  readonly catalogue: Catalogue
  readonly from: ApiVersion
  /** Another version of the same API. */
  readonly to: ApiVersion
  /** The plan under which the calls would be made; undefined: no limit is replayed. */
  readonly plan: Plan | undefined
  /** The application's, of the new version. */
  readonly overrides: readonly CallsOverride[]
  /** Calls of one application, in any order, to any version. */
  readonly calls: readonly ReplayableCall[]
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * Predicts the result of recorded calls to one version of an API if they
 * came again at the same pace to another version, with an active subscription
 * under a plan.
 *
 * Exact are the routes (405, 404 and 410) and the limits, whose counts begin at
 * zero and include the calls that were made to the new version meanwhile. A
 * call that the gateway refused for its key, its address, its certificate or
 * its form is refused again; one that ended for a passing reason is left out. What the backend answers is not part of the
 * prediction: records hold neither paths nor bodies. `diffVersions` says what to check.
 */
export function replayCalls(options: ReplayOptions): Replay {
  const { catalogue, from, to, plan, overrides, nowMs } = options
  const limits = createReplayedLimits(plan, effectiveLimits(plan?.limits ?? [], overrides, nowMs))
  const router = createRouter(catalogue)
  const tallies = new Map(
    from.operations.map((operation) => {
      const route = routeInVersion(operation, { router, to, nowMs })
      return [operation.id, createTally(operation, route, limits)]
    }),
  )
  const inOrder = options.calls
    .filter(({ api }) => api === from.api)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const calls = inOrder.filter(({ version }) => version === from.version)
  let unknown = 0
  for (const call of inOrder) {
    if (call.version === to.version) countAlready(call)
    if (call.version !== from.version) continue
    const tally = tallies.get(call.operation ?? '')
    if (tally === undefined) unknown += 1
    else tally.add(call)
  }
  const operations = [...tallies.values()]
    .map((tally) => tally.result((gone) => findInstead(from, gone, to)))
    .filter((operation) => operation.calls > 0)
    .toSorted((a, b) => missingOf(b) - missingOf(a) || b.calls - a.calls)
  const leftOut = sum([...tallies.values()], (tally) => tally.leftOut())
  const predicted = calls.length - unknown - leftOut
  const allowed = sum(operations, (operation) => operation.allowed)
  return {
    calls: predicted,
    allowed,
    refused: predicted - allowed,
    missing: sum(operations, missingOf),
    unknown,
    leftOut,
    since: calls[0]?.at ?? null,
    until: calls.at(-1)?.at ?? null,
    operations,
  }

  /** A call to the new version is not part of the prediction, but uses up its limits. */
  function countAlready(call: ReplayableCall): void {
    const operation = to.operations.find(({ id }) => id === call.operation)
    if (operation !== undefined && isDecidedAnew(call)) limits.allows(operation, call.at)
  }
}

function createTally(operation: Operation, route: Route, limits: ReplayedLimits) {
  const refusals = new Map<string, PredictedRefusal>()
  let calls = 0
  let allowed = 0
  let allowedBefore = 0
  let leftOut = 0

  function refuse(refusal: Omit<PredictedRefusal, 'calls'>): void {
    const known = refusals.get(refusal.code)?.calls ?? 0
    refusals.set(refusal.code, { ...refusal, calls: known + 1 })
  }

  return {
    add(call: ReplayableCall): void {
      const isRefusedAgain = ofTheCall.has(call.outcome)
      if (!('code' in route || isDecidedAnew(call) || isRefusedAgain)) {
        leftOut += 1
        return
      }
      calls += 1
      if (wasAllowed(call)) allowedBefore += 1
      if ('code' in route) refuse({ ...route, because: 'version' })
      else if (!isDecidedAnew(call)) {
        refuse({ code: call.outcome, status: call.status, because: 'call' })
      } else if (limits.allows(route.operation, call.at)) allowed += 1
      else refuse({ ...quotaExceeded, because: 'limit' })
    },

    leftOut: () => leftOut,

    result(instead: (gone: Operation) => Instead): ReplayedOperation {
      return {
        operation,
        calls,
        allowed,
        allowedBefore,
        refusals: [...refusals.values()].toSorted((a, b) => b.calls - a.calls),
        instead: 'code' in route && calls > 0 ? instead(operation) : undefined,
      }
    },
  }
}

const quotaExceeded = { code: 'QUOTA_EXCEEDED', status: errors.QUOTA_EXCEEDED.status }

function wasAllowed({ decision }: ReplayableCall): boolean {
  return decision === 'admitted' || decision === 'degraded_admitted' || decision === 'observed'
}

/** Whether the version, its subscription or its limit decided the call: these are others in the new version. */
function isDecidedAnew({ decision, outcome }: ReplayableCall): boolean {
  return decision !== null || ofTheVersion.has(outcome)
}

const ofTheVersion: ReadonlySet<string> = new Set<ErrorCode>([
  'NOT_SUBSCRIBED',
  'QUOTA_EXCEEDED',
  'VERSION_RETIRED',
])

/** Refusals for what the call itself is: its key, address, certificate or form. They come again in every version. */
const ofTheCall: ReadonlySet<string> = new Set<ErrorCode>([
  'TARGET_INVALID',
  'TARGET_TOO_LONG',
  'HEADERS_INVALID',
  'HEADERS_TOO_LARGE',
  'FRAMING_INVALID',
  'UPGRADE_REFUSED',
  'EXPECTATION_FAILED',
  'BODY_TOO_LARGE',
  'HTTP_VERSION',
  'LOOP',
  'KEY_MISSING',
  'KEY_INVALID',
  'ADDRESS_NOT_ALLOWED',
  'CLIENT_CERTIFICATE_MISSING',
  'CLIENT_CERTIFICATE_INVALID',
  'CLIENT_CERTIFICATE_EXPIRED',
  'CLIENT_CERTIFICATE_REVOKED',
  'CLIENT_CERTIFICATE_BLOCKED',
  'CLIENT_ROLE_INVALID',
])

function missingOf({ refusals }: ReplayedOperation): number {
  return sum(refusals, ({ because, calls }) => (because === 'version' ? calls : 0))
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
