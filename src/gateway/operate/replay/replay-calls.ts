import type { ApiVersion, Catalogue, Operation, Plan } from '../../../catalogue/catalogue.ts'
import { type CallsOverride, effectiveLimits } from '../../../catalogue/effective-limits.ts'
import { createRouter } from '../../../catalogue/router.ts'
import { errors } from '../../../platform/errors.ts'
import { findInstead, type Instead } from './instead.ts'
import { createReplayedLimits, type ReplayedLimits } from './replayed-limits.ts'
import { type Route, routeInVersion } from './route-in-version.ts'

/** What the replay needs of a recorded call. */
export interface ReplayableCall {
  readonly at: Date
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
  /** `forwarded`, `aborted` or the code of the refusal. */
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
   * the recorded call for its key, certificate or form, and refuses it in every version.
   */
  readonly because: 'version' | 'limit' | 'call'
}

/** What the recorded calls to one operation would meet. */
export interface ReplayedOperation {
  /** Of the old version. */
  readonly operation: Operation
  readonly calls: number
  /** Of these, calls that the gateway allowed when they were made. */
  readonly allowedBefore: number
  readonly allowed: number
  /** Most calls first. */
  readonly refusals: readonly PredictedRefusal[]
  /** Undefined unless the new version lacks the operation. */
  readonly instead: Instead | undefined
}

/** What an application's recorded calls to one version would meet under another one. */
export interface Replay {
  /** Calls to the old version whose operation is known. */
  readonly calls: number
  readonly allowed: number
  readonly refused: number
  /** Of the refused, calls whose operation the new version lacks. */
  readonly missing: number
  /** Calls to the old version without an operation. Records hold no paths, so nothing is predicted for them. */
  readonly unknown: number
  /** When the first and the last of all these calls began; null without calls. */
  readonly since: Date | null
  readonly until: Date | null
  /** The operations that were called: those that the new version lacks first, then most calls first. */
  readonly operations: readonly ReplayedOperation[]
}

export interface ReplayOptions {
  readonly catalogue: Catalogue
  readonly from: ApiVersion
  /** Of the same API. */
  readonly to: ApiVersion
  /** Under which the calls would be made; undefined: no limit is replayed. */
  readonly plan: Plan | undefined
  /** The application's, of the new version. */
  readonly overrides: readonly CallsOverride[]
  /** Of one application, in any order, to any version. */
  readonly calls: readonly ReplayableCall[]
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * Predicts what recorded calls to one version of an API would meet, if they
 * came again at the same pace to another version, with an active subscription
 * under a plan.
 *
 * Exact are the routes (405, 404 and 410) and the limits, whose counts begin at
 * zero. A call that the gateway refused for its key, its certificate or its
 * form is refused again. What the backend answers is no part of the prediction:
 * records hold neither paths nor bodies. `diffVersions` says what to check.
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
  const calls = options.calls
    .filter(({ api, version }) => api === from.api && version === from.version)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
  let unknown = 0
  for (const call of calls) {
    const tally = tallies.get(call.operation ?? '')
    if (tally === undefined) unknown += 1
    else tally.add(call)
  }
  const operations = [...tallies.values()]
    .map((tally) => tally.result((gone) => findInstead(from, gone, to)))
    .filter((operation) => operation.calls > 0)
    .toSorted((a, b) => missingOf(b) - missingOf(a) || b.calls - a.calls)
  const known = calls.length - unknown
  const allowed = sum(operations, (operation) => operation.allowed)
  return {
    calls: known,
    allowed,
    refused: known - allowed,
    missing: sum(operations, missingOf),
    unknown,
    since: calls[0]?.at ?? null,
    until: calls.at(-1)?.at ?? null,
    operations,
  }
}

function createTally(operation: Operation, route: Route, limits: ReplayedLimits) {
  const refusals = new Map<string, PredictedRefusal>()
  let calls = 0
  let allowed = 0
  let allowedBefore = 0

  function refuse(refusal: Omit<PredictedRefusal, 'calls'>): void {
    const known = refusals.get(refusal.code)?.calls ?? 0
    refusals.set(refusal.code, { ...refusal, calls: known + 1 })
  }

  return {
    add(call: ReplayableCall): void {
      calls += 1
      if (wasAllowed(call)) allowedBefore += 1
      if ('code' in route) refuse({ ...route, because: 'version' })
      else if (!isDecidedAnew(call)) {
        refuse({ code: call.outcome, status: call.status, because: 'call' })
      } else if (limits.allows(route.operation, call.at)) allowed += 1
      else refuse({ ...quotaExceeded, because: 'limit' })
    },

    result(instead: (gone: Operation) => Instead): ReplayedOperation {
      return {
        ...{ operation, calls, allowed, allowedBefore },
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

/** Whether the subscription and the limit decided the call: these are others in the new version. */
function isDecidedAnew({ decision, outcome }: ReplayableCall): boolean {
  return decision !== null || outcome === 'NOT_SUBSCRIBED' || outcome === 'QUOTA_EXCEEDED'
}

function missingOf({ refusals }: ReplayedOperation): number {
  return sum(refusals, ({ because, calls }) => (because === 'version' ? calls : 0))
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
