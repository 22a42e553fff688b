import type { Bank } from '../bank.ts'
import { type Handler, ok, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { onDay } from '../domain/bank-time.ts'
import { entryReferenceOf } from '../domain/entry-reference.ts'
import { isUuid } from '../domain/identifiers.ts'
import { isAggregate } from '../domain/multicurrency.ts'
import { linksTo } from '../links.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Reader, Transaction, TransactionFilter } from '../stores/entries.ts'
import { countOf, type Days, type EntryRange } from '../stores/entry-range.ts'
import { type CoveredAccount, createAccountCheck } from './account-check.ts'
import { readBalances } from './balances.ts'
import { lacking } from './consent-check.ts'
import { type LinkChange, type Page, pageLinks, readPage, wholeList } from './pages.ts'
import { accountReference } from './references.ts'
import { type ReportScope, readScope } from './report-scope.ts'
import { renderStandingOrder, renderTransaction } from './transactions.ts'

/** The lists of a report, by bookingStatus. */
const listsOf: Readonly<Record<string, readonly ('booked' | 'pending' | 'information')[]>> = {
  booked: ['booked'],
  pending: ['pending'],
  both: ['booked', 'pending'],
  information: ['information'],
  all: ['booked', 'pending', 'information'],
}

/** A page of entries, with the data for links to the other pages. */
interface PagedEntries {
  readonly entries: readonly Transaction[]
  readonly count: number
  readonly change?: LinkChange
}

/** Handlers of transaction reports and of single transactions. */
export function createReportHandlers(bank: Bank) {
  const check = createAccountCheck(bank)
  const { stores } = bank

  const list: Handler = async (call) => {
    const covered = await check.account(call, 'transactions')
    const { consent, account, parts, rights } = covered
    const status = String(call.query['bookingStatus'])
    if (status === 'information' && !canHaveStandingOrders(account)) {
      throw new BankError('PARAMETER_NOT_SUPPORTED', [
        { path: 'bookingStatus', text: 'This account has no standing orders' },
      ])
    }
    const today = onDay(call.now, bank.timeZone)
    // Standing orders have no day, so the other parameters have no effect.
    const scope = status === 'information' ? undefined : await readScope(bank, call, account, today)
    const wantsBalances = scope !== undefined && call.query['withBalance'] === true
    if (wantsBalances && !rights.has('listBalances')) throw lacking('listBalances')
    const page = scope === undefined ? wholeList : readPage(call)
    await check.count(call, consent, `transactions ${account.id}`, page.index)
    const isFirst = page.index === 0
    const lists = listsOf[status] ?? []
    const isBookedWanted = lists.includes('booked')
    const information =
      lists.includes('information') && isFirst
        ? await stores.accounts.standingOrders(parts.map(({ id }) => id))
        : []
    const balances = await readBalances(bank, wantsBalances ? [account] : [], call.now)
    // With booked entries, the first page holds all pending ones, which are few.
    const besideBooked = isFirst ? wholeList : undefined
    const pending =
      scope !== undefined && lists.includes('pending')
        ? await pendingEntries(parts, scope.days, isBookedWanted ? besideBooked : page)
        : undefined
    // Last, because each entry is reported in one delta only.
    const booked =
      scope !== undefined && isBookedWanted ? await bookedEntries(covered, scope, page) : undefined
    const { count, change } = booked ?? pending ?? { count: 0 }
    const render = (transaction: Transaction) =>
      renderTransaction(transaction, account, call.prefix)
    return ok({
      account: accountReference(account),
      transactions: {
        ...(booked === undefined ? {} : { booked: booked.entries.map(render) }),
        ...(pending === undefined ? {} : { pending: pending.entries.map(render) }),
        ...(lists.includes('information')
          ? { information: information.map(renderStandingOrder) }
          : {}),
        _links: {
          ...linksTo({ account: `${call.prefix}/accounts/${account.id}` }),
          ...pageLinks(call, page, count, change),
        },
      },
      ...(wantsBalances ? { balances: balances.get(account.id) } : {}),
    })
  }

  async function pendingEntries(
    parts: readonly Account[],
    days: Days,
    page: Page | undefined,
  ): Promise<PagedEntries> {
    if (page === undefined) return { entries: [], count: 0 }
    const filter = { accountIds: parts.map(({ id }) => id), status: 'pending', ...days } as const
    return matching(stores, filter, page)
  }

  async function bookedEntries(
    { consent, account, parts }: CoveredAccount,
    { days, delta }: ReportScope,
    page: Page,
  ): Promise<PagedEntries> {
    if (isAggregate(account)) {
      const filter = { accountIds: parts.map(({ id }) => id), status: 'booked', ...days } as const
      return matching(stores, filter, page)
    }
    const kept = await stores.entries.range(account.id, days)
    if (delta === 'sinceLastReport') {
      const { applicationId, psuId } = consent.consent
      if (psuId === null) throw new Error(`consent ${consent.consent.id} is valid without a PSU`)
      return newEntries({ applicationId, psuId, accountId: account.id }, { kept, days, page })
    }
    return piece(stores, account.id, startingAfter(delta?.after ?? 0, kept), page)
  }

  /**
   * The entries that the reader has not received. The first page records them as
   * reported; its links name the entry before them, so that all pages belong to
   * one report. One transaction reads and records, so a failed read records nothing.
   */
  function newEntries(
    reader: Reader,
    { kept, days, page }: { readonly kept: EntryRange; readonly days: Days; readonly page: Page },
  ): Promise<PagedEntries> {
    return stores.transaction(async (inside) => {
      const { entries } = inside
      const delta =
        page.index === 0
          ? await entries.takeDelta(reader)
          : { after: await entries.reported(reader), last: kept.last }
      const range = startingAfter(kept.after, delta)
      const before = await entries.numbered(reader.accountId, range.after)
      const begin =
        before === undefined
          ? { dateFrom: days.from }
          : { dateFrom: undefined, entryReferenceFrom: entryReferenceOf(before) }
      return {
        ...(await piece(inside, reader.accountId, range, page)),
        change: { deltaList: undefined, dateTo: undefined, ...begin },
      }
    })
  }

  const read: Handler = async (call) => {
    const { consent, account, parts } = await check.account(call, 'transactions')
    const id = pathParameter(call, 'transactionId')
    const accountIds = parts.map((part) => part.id)
    const transaction = isUuid(id) ? await stores.entries.find(accountIds, id) : undefined
    if (transaction === undefined) {
      throw new BankError('RESOURCE_UNKNOWN', 'No booked entry of this account has this identifier')
    }
    await check.count(call, consent, `transaction ${transaction.id}`)
    const { _links, ...details } = renderTransaction(transaction, account, call.prefix)
    return ok({ transactionsDetails: { transactionDetails: details } })
  }

  return { list, read }
}

/** Standing orders are payments, and savings accounts cannot pay others. */
function canHaveStandingOrders({ cashAccountType }: Account): boolean {
  return cashAccountType === 'CACC'
}

function startingAfter(sequence: number, { after, last }: EntryRange): EntryRange {
  return { after: Math.max(after, sequence), last }
}

async function matching(
  { entries }: Pick<Stores, 'entries'>,
  filter: TransactionFilter,
  page: Page,
): Promise<PagedEntries> {
  return {
    entries: await entries.matching(filter, page),
    count: await entries.countMatching(filter),
  }
}

async function piece(
  { entries }: Pick<Stores, 'entries'>,
  accountId: string,
  range: EntryRange,
  page: Page,
): Promise<PagedEntries> {
  return { entries: await entries.page(accountId, range, page), count: countOf(range) }
}
