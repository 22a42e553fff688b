// This folder says what a configuration would change before it is published. `compare-catalogues.ts` finds the
// differences; the files here find the applications behind them: who is subscribed, whose count is above a limit now,
// and whose stored usage was above it.

import type { CatalogueChange } from '../../catalogue/catalogue-change.ts'
import { type Compared, compareCatalogues, isOffered } from '../../catalogue/compare-catalogues.ts'
import type { Counter } from '../../gateway/counters/counter.ts'
import { StoreUnavailableError } from '../../gateway/counters/store-unavailable.ts'
import { CountersUnreachable } from '../../gateway/operate/control-client.ts'
import type { KeyStores } from '../../registry/key-stores.ts'
import type { Records } from '../../registry/records.ts'
import { type AffectedApplication, affectedBy, type InUse } from './affected.ts'
import { type NewLimit, newLimits } from './new-limits.ts'
import { type LimitedSubject, type OverNow, overNow } from './over-now.ts'
import { usageSpan } from './usage-span.ts'

export interface AssessPlanOptions {
  readonly stores: Pick<KeyStores, 'subscriptions' | 'overrides'> & Pick<Records, 'exceededUsage'>
  readonly counters: Pick<Counter, 'peek'>
  readonly inForce: Compared
  readonly proposed: Compared
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** A difference and who is affected. */
export interface AssessedChange {
  readonly change: CatalogueChange
  /** Those that are subscribed to what changes and notice it, ordered by name. */
  readonly applications: readonly AffectedApplication[]
  /** Whether it takes something from an application. */
  readonly isBreaking: boolean
}

/** What an application would have lost to a new limit. */
export interface WouldHaveRefused extends LimitedSubject {
  readonly refused: number
  readonly windows: number
  /** Start of the last of these windows. */
  readonly last: Date
  /** Whether `refused` is the least, because usage is not stored by such short windows or not for such long ones. */
  readonly isLeast: boolean
}

export interface AssessedPlan {
  readonly changes: readonly AssessedChange[]
  readonly isBreaking: boolean
  /** The error: the counters do not answer, and everything else still holds. */
  readonly overNow: readonly OverNow[] | CountersUnreachable | StoreUnavailableError
  /** By the stored usage of the last 30 days, from the begin of the first window; most calls first. */
  readonly last30Days: readonly WouldHaveRefused[]
}

/** Compares a configuration with the active one, and with what the registry and the counters hold. Changes nothing. */
export async function assessPlan(options: AssessPlanOptions): Promise<AssessedPlan> {
  const { stores, counters, inForce, proposed, nowMs } = options
  const inUse = await readInUse(options)
  const changes = assessChanges(options, inUse)
  const limits = newLimits({ ...inUse, changes, inForce, proposed, nowMs })
  return {
    changes,
    isBreaking: changes.some(({ isBreaking }) => isBreaking),
    overNow: await overNow(limits, counters, nowMs).catch((error: unknown) => {
      if (error instanceof CountersUnreachable || error instanceof StoreUnavailableError)
        return error
      throw error
    }),
    last30Days: await refusedBefore(limits, stores, nowMs),
  }
}

/** Only the differences and who is affected. */
export async function assessDifferences(
  options: Omit<AssessPlanOptions, 'counters'>,
): Promise<readonly AssessedChange[]> {
  return assessChanges(options, await readInUse(options))
}

async function readInUse({
  stores,
  inForce,
  nowMs,
}: Omit<AssessPlanOptions, 'counters'>): Promise<InUse> {
  const subscriptions = await stores.subscriptions.active()
  return {
    subscriptions: subscriptions.filter((each) => isOffered(inForce, each, nowMs)),
    overrides: await stores.overrides.list({}),
  }
}

function assessChanges(
  { inForce, proposed, nowMs }: Omit<AssessPlanOptions, 'counters' | 'stores'>,
  inUse: InUse,
): readonly AssessedChange[] {
  return compareCatalogues({ from: inForce, to: proposed, nowMs }).map((change) => {
    const applications = affectedBy(change, inUse)
    return { change, applications, isBreaking: change.harm !== 'none' && applications.length > 0 }
  })
}

async function refusedBefore(
  limits: readonly NewLimit[],
  { exceededUsage }: AssessPlanOptions['stores'],
  nowMs: number,
): Promise<readonly WouldHaveRefused[]> {
  const found: WouldHaveRefused[] = []
  for (const { api, version, plan, limit, applications, isLeast } of limits) {
    const known = new Map(applications.map((each) => [each.application.id, each]))
    const calls = applications.map((each) => ({
      applicationId: each.application.id,
      calls: each.calls,
    }))
    const { from, isCut } = usageSpan(limit.windowLength, nowMs)
    const span = { from, to: new Date(nowMs) }
    for (const row of await exceededUsage.exceeded({ api, version, limit, calls, ...span })) {
      const of = known.get(row.applicationId)
      if (of === undefined) continue
      const { operation, windows, last, calls: refused } = row
      const subject = { application: of.application, api, version, operation, plan }
      const numbers = { calls: of.calls, refused, windows, last, isLeast: isLeast || isCut }
      found.push({ ...subject, limit: limit.name, ...numbers })
    }
  }
  return found.sort((a, b) => b.refused - a.refused)
}
