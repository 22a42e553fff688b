import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { recordsKept } from '../../registry/usage/call-records.ts'
import type { Stores } from '../stores/stores.ts'
import { type Replay, replayCalls } from './replay-calls.ts'

export interface ReplayApplicationOptions {
  readonly stores: Pick<Stores, 'calls' | 'overrides'>
  readonly catalogue: Catalogue
  readonly applicationId: string
  readonly from: ApiVersion
  /** Another version of the same API. */
  readonly to: ApiVersion
  /** Name of the plan under which the calls would be made. */
  readonly plan: string
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Replays the recorded calls of an application, its last 1,000 within 24 hours, against another version. */
export async function replayApplication(options: ReplayApplicationOptions): Promise<Replay> {
  const { stores, catalogue, applicationId, from, to, plan, nowMs } = options
  const recorded = await stores.calls.list({ applicationId, limit: recordsKept })
  // A drill says nothing about what the application does.
  const calls = recorded.filter(({ drill }) => drill === null)
  const overrides = await stores.overrides.list({ applicationId })
  const key = versionKey(to.api, to.version)
  return replayCalls({
    catalogue,
    from,
    to,
    calls,
    nowMs,
    plan: catalogue.plans.get(plan),
    overrides: overrides.filter(({ api, version }) => versionKey(api, version) === key),
  })
}
