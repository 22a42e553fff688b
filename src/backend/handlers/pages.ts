import type { BankCall } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { addDays, addMonths } from '../domain/bank-time.ts'
import { type Links, linksTo } from '../links.ts'
import type { Days } from '../stores/entry-range.ts'

/** Readable months of entries (our choice). */
const monthsKept = 12

/** All days whose entries the bank keeps. */
export function keptDays(today: string): Days {
  return { from: addMonths(today, -monthsKept), to: today }
}

/**
 * The parameter with which a call asks for a delta, or undefined.
 *
 * @throws {BankError} 400 FORMAT_ERROR for a call with both
 */
export function wantsDelta({ query }: BankCall): 'entryReferenceFrom' | 'deltaList' | undefined {
  const hasReference = query['entryReferenceFrom'] !== undefined
  if (query['deltaList'] !== true) return hasReference ? 'entryReferenceFrom' : undefined
  if (hasReference) throw formatError('deltaList', 'Send either entryReferenceFrom or deltaList')
  return 'deltaList'
}

/**
 * Reads dateFrom and dateTo for lists without deltas. Omits days before the
 * oldest kept entry; a day in the future means today.
 *
 * @throws {BankError} 400 FORMAT_ERROR without a beginning, PARAMETER_NOT_SUPPORTED for
 *   a delta in place of a beginning, PERIOD_INVALID for a wrong order
 */
export function readDays(call: BankCall, today: string): Days {
  const delta = wantsDelta(call)
  const { query } = call
  const from = query['dateFrom']
  if (from === undefined) {
    if (delta === undefined) throw formatError('dateFrom', 'Must be sent')
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path: delta, text: 'This account offers no delta reads; send dateFrom' },
    ])
  }
  const first = String(from)
  const to = query['dateTo'] === undefined ? undefined : String(query['dateTo'])
  if (to === undefined && first > today) {
    throw new BankError('PERIOD_INVALID', [{ path: 'dateFrom', text: 'Lies in the future' }])
  }
  if (to !== undefined && to < first) {
    throw new BankError('PERIOD_INVALID', [{ path: 'dateTo', text: 'Lies before dateFrom' }])
  }
  const { from: oldest } = keptDays(today)
  // A report that ends before the kept entries is empty; SQL may not support its days (0000-01-01).
  const end = to !== undefined && to < oldest ? addDays(oldest, -1) : (to ?? today)
  return { from: first > oldest ? first : oldest, to: end < today ? end : today }
}

/** One page of a list. */
export interface Page {
  readonly index: number
  readonly offset: number
  readonly limit: number
}

/** For short lists without pages. */
export const wholeList: Page = { index: 0, offset: 0, limit: 500 }

/** Reads pageIndex and itemsPerPage (default: 20). */
export function readPage({ query }: BankCall): Page {
  const index = Number(query['pageIndex'] ?? 0)
  const limit = Number(query['itemsPerPage'] ?? 20)
  return { index, limit, offset: index * limit }
}

/** Parameters that replace those of the call in links; undefined removes one. */
export type LinkChange = Readonly<Record<string, string | undefined>>

/** Links to the other pages of a list of `count` entries; no links if all fit on one page. */
export function pageLinks(
  call: BankCall,
  page: Page,
  count: number,
  change: LinkChange = {},
): Links {
  const last = Math.max(0, Math.ceil(count / page.limit) - 1)
  if (last === 0 && page.index === 0) return {}
  const [path = '', query = ''] = call.target.split('?')
  const to = (index: number) => {
    // Links omit parameters that the bank ignores, because their length is limited.
    const parameters = new URLSearchParams(
      [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(call.query, name)),
    )
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) parameters.delete(name)
      else parameters.set(name, value)
    }
    parameters.set('pageIndex', String(index))
    return `${path}?${parameters}`
  }
  return linksTo({
    first: to(0),
    previous: page.index > 0 ? to(Math.min(page.index - 1, last)) : undefined,
    next: page.index < last ? to(page.index + 1) : undefined,
    last: to(last),
  })
}
