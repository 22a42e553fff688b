import type { BankCall } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { addDays, addMonths } from '../domain/bank-time.ts'
import { type Links, linksTo } from '../links.ts'
import type { Days } from '../stores/entry-range.ts'

/** Months of entries that can be read (our choice). */
const monthsKept = 12

/**
 * Reads dateFrom and dateTo. What is older than the bank keeps is left out
 * silently; a day in the future means today.
 *
 * @throws {BankError} 400 FORMAT_ERROR without a beginning, PARAMETER_NOT_SUPPORTED when
 *   a delta is to say where to begin, PERIOD_INVALID for a wrong order
 */
export function readDays({ query }: BankCall, today: string): Days {
  const entryReferenceFrom = query['entryReferenceFrom']
  const hasDelta = query['deltaList'] === true
  if (entryReferenceFrom !== undefined && hasDelta) {
    throw formatError('deltaList', 'Send either entryReferenceFrom or deltaList')
  }
  const from = query['dateFrom']
  if (from === undefined) {
    if (entryReferenceFrom === undefined && !hasDelta) {
      throw formatError('dateFrom', 'Must be sent')
    }
    const path = hasDelta ? 'deltaList' : 'entryReferenceFrom'
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path, text: 'Delta reads are not offered; send dateFrom' },
    ])
  }
  const first = String(from)
  const to = String(query['dateTo'] ?? today)
  if (to < first) {
    throw new BankError('PERIOD_INVALID', [{ path: 'dateTo', text: 'Lies before dateFrom' }])
  }
  const oldest = addMonths(today, -monthsKept)
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

/** Links to the other pages of a list of `count` entries; none where everything fits on one. */
export function pageLinks(call: BankCall, page: Page, count: number): Links {
  const last = Math.max(0, Math.ceil(count / page.limit) - 1)
  if (last === 0 && page.index === 0) return {}
  const [path = '', query = ''] = call.target.split('?')
  const to = (index: number) => {
    const parameters = new URLSearchParams(query)
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
