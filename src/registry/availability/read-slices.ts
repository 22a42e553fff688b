import { sql } from 'kysely'
import type { RegistryTransaction } from '../transaction.ts'
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

/** State of the rule for an API version, and what it found so far. */
export interface RuleProgress extends Interface {
  readonly state: RuleState
  /** Ended outages, oldest first. */
  readonly ended: Outage[]
}

/** Seconds whose slices are read at a time. */
const secondsPerRead = 60

interface StoredSlice extends Interface {
  readonly second: number
  readonly unanswered: string | null
  readonly answered: string | null
}

/**
 * Applies the rule to all slices of seconds before `to`, or to all if it is
 * undefined, continuing from `progress`.
 *
 * @param progress by `api version`; grows
 * @param options.isTaken deletes the slices that it reads, and no other: one that arrives meanwhile stays
 */
export async function applyRuleToSlices(
  trx: RegistryTransaction,
  progress: Map<string, RuleProgress>,
  options: { readonly to?: number; readonly isTaken?: boolean } = {},
): Promise<void> {
  const { to, isTaken = false } = options
  let from = await firstSecond(trx, 0, to)
  while (from !== null) {
    const end = Math.min(from + secondsPerRead, to ?? Number.POSITIVE_INFINITY)
    apply(progress, await (isTaken ? takeSlices : readSlices)(trx, from, end))
    from = await firstSecond(trx, end, to)
  }
}

async function firstSecond(
  trx: RegistryTransaction,
  from: number,
  to: number | undefined,
): Promise<number | null> {
  const { rows } = await sql<{ second: number | null }>`
    select min(second) as second from availability_slices
    where second >= ${from} and (${to ?? null}::bigint is null or second < ${to ?? null}::bigint)`.execute(
    trx,
  )
  return rows[0]?.second ?? null
}

function readSlices(trx: RegistryTransaction, from: number, to: number): Promise<StoredSlice[]> {
  return trx
    .selectFrom('availability_slices')
    .select(['api', 'version', 'second', 'unanswered', 'answered'])
    .where('second', '>=', from)
    .where('second', '<', to)
    .execute()
}

function takeSlices(trx: RegistryTransaction, from: number, to: number): Promise<StoredSlice[]> {
  return trx
    .deleteFrom('availability_slices')
    .where('second', '>=', from)
    .where('second', '<', to)
    .returning(['api', 'version', 'second', 'unanswered', 'answered'])
    .execute()
}

function apply(progress: Map<string, RuleProgress>, slices: readonly StoredSlice[]): void {
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
