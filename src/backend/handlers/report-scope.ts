import type { Bank } from '../bank.ts'
import type { BankCall } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { entryReferenceOf, sequenceOf } from '../domain/entry-reference.ts'
import { isAggregate } from '../domain/multicurrency.ts'
import type { Account } from '../stores/accounts.ts'
import type { Days } from '../stores/entry-range.ts'
import { keptDays, readDays, wantsDelta } from './pages.ts'

/** The scope of an account report. */
export interface ReportScope {
  /** Days of the entries; for a delta, all days that the bank keeps. */
  readonly days: Days
  /** Only entries booked after the entry with this number, or since the last report. */
  readonly delta?: { readonly after: number } | 'sinceLastReport'
}

/**
 * Reads which entries a call asks for. A delta defines its own beginning, so
 * dateFrom and dateTo have no effect. An account that combines sub-accounts has
 * no deltas, because its sub-accounts number their entries separately.
 *
 * @throws {BankError} as {@link readDays} does, and 400 RESOURCE_UNKNOWN if no booked entry has the reference
 */
export async function readScope(
  bank: Pick<Bank, 'stores'>,
  call: BankCall,
  account: Account,
  today: string,
): Promise<ReportScope> {
  const delta = wantsDelta(call)
  if (delta === undefined || isAggregate(account)) return { days: readDays(call, today) }
  const days = keptDays(today)
  if (delta === 'deltaList') return { days, delta: 'sinceLastReport' }
  const reference = String(call.query[delta])
  const sequence = sequenceOf(reference)
  const entry =
    sequence === undefined ? undefined : await bank.stores.entries.numbered(account.id, sequence)
  if (entry === undefined || entryReferenceOf(entry) !== reference) {
    throw new BankError(
      'RESOURCE_UNKNOWN',
      [{ path: delta, text: 'No booked entry of this account has this reference' }],
      { status: 400 },
    )
  }
  return { days, delta: { after: entry.sequence } }
}
