import type { BankCall } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { addDays, addMonths } from '../domain/bank-time.ts'
import { type Links, linksTo } from '../links.ts'
import type { Days } from '../stores/entry-range.ts'

/** Months of entries that can be read (our choice). */
const monthsKept = 12

/** All days whose entries the bank keeps. */
export function keptDays(today: string): Days {
  return { from: addMonths(today, -monthsKept), to: today }
}

/**
 * The parameter with which a call wants a delta, or undefined.
 *
 * @throws {BankError} 400 FORMAT_ERROR when it sends both
 */
export function wantsDelta({ query }: BankCall): 'entryReferenceFrom' | 'deltaList' | undefined {
  const hasReference = query['entryReferenceFrom'] !== undefined
  if (query['deltaList'] !== true) return hasReference ? 'entryReferenceFrom' : undefined
  if (hasReference) throw formatError('deltaList', 'Send either entryReferenceFrom or deltaList')
  return 'deltaList'
}

/**
 * Reads dateFrom and dateTo, where no deltas are offered. What is older than
 * the bank keeps is left out silently; a day in the future means today.
 *
 * @throws {BankError} 400 FORMAT_ERROR without a beginning, PARAMETER_NOT_SUPPORTED when
 *   a delta is to say where to begin, PERIOD_INVALID for a wrong order
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
  const to = String(query['dateTo'] ?? today)
  if (to < first) {
    throw new BankError('PERIOD_INVALID', [{ path: 'dateTo', text: 'Lies before dateFrom' }])
  }
  const { from: oldest } = keptDays(today)
  // A report that ends before all that is kept is empty; its own days may be none of SQL's (0000-01-01).
  const end = to < oldest ? addDays(oldest, -1) : to
  return { from: first > oldest ? first : oldest, to: end < today ? end : today }
}

/** One page of a list. */
export interface Page {
  readonly index: number
  readonly offset: number
  readonly limit: number
}

/** For lists that are short by nature and not paged. */
export const wholeList: Page = { index: 0, offset: 0, limit: 500 }

/** Reads pageIndex and itemsPerPage; lists without them have pages of 20. */
export function readPage({ query }: BankCall): Page {
  const index = Number(query['pageIndex'] ?? 0)
  const limit = Number(query['itemsPerPage'] ?? 20)
  return { index, limit, offset: index * limit }
}

/** Parameters that links have in place of those of the call; undefined takes one away. */
export type LinkChange = Readonly<Record<string, string | undefined>>

/** Links to the other pages of a list of `count` entries; none where everything fits on one. */
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
    // What is not published is ignored: it does not come back in answers, where links have a length.
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
