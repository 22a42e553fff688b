import type { Kysely, Transaction } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import {
  applyRule,
  noCallsYet,
  type Outage,
  type RuleState,
  type Success,
  type UnansweredCall,
} from './outage-rule.ts'
import { readAnswered, readUnanswered } from './slice.ts'

/** An API version. */
export interface Interface {
  readonly api: string
  readonly version: string
}

/** Where the rule stands for an API version, and what it found on the way there. */
export interface RuleProgress extends Interface {
  readonly state: RuleState
  /** Ended outages, oldest first. */
  readonly ended: Outage[]
}

/** Seconds whose slices are read at a time. */
const secondsPerRead = 60

/**
 * Applies the rule to the slices of all gateways from second `from` up to, but
 * not including, `to`, going on where `progress` stands.
 *
 * @param progress by `api version`; grows
 */
export async function applyRuleToSlices(
  db: Kysely<RegistrySchema> | Transaction<RegistrySchema>,
  progress: Map<string, RuleProgress>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (let start = from; start < to; start += secondsPerRead) {
    const slices = await db
      .selectFrom('availability_slices')
      .select(['api', 'version', 'second', 'unanswered', 'answered'])
      .where('second', '>=', start)
      .where('second', '<', Math.min(start + secondsPerRead, to))
      .execute()
    const calls = new Map<string, { successes: Success[]; unanswered: UnansweredCall[] }>()
    for (const { api, version, second, unanswered, answered } of slices) {
      const name = `${api} ${version}`
      const found = calls.get(name) ?? { successes: [], unanswered: [] }
      calls.set(name, found)
      if (answered !== null) found.successes.push(...readAnswered(second, answered))
      if (unanswered !== null) found.unanswered.push(...readUnanswered(second, unanswered))
      if (!progress.has(name)) progress.set(name, { api, version, state: noCallsYet(), ended: [] })
    }
    for (const [name, { successes, unanswered }] of calls) {
      const found = progress.get(name)
      found?.ended.push(...applyRule(found.state, successes, unanswered))
    }
  }
}
