import type { Bank } from '../bank.ts'
import { type Handler, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { linksTo } from '../links.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import type { Account } from '../stores/accounts.ts'
import type { Transaction } from '../stores/entries.ts'
import { countOf, type Days } from '../stores/entry-range.ts'
import { createAccountCheck } from './account-check.ts'
import { readBalances } from './balances.ts'
import { lacking } from './consent-check.ts'
import { type Page, pageLinks, readDays, readPage, wholeList } from './pages.ts'
import { accountReference } from './references.ts'
import { renderStandingOrder, renderTransaction } from './transactions.ts'

/** Which lists a report has, by bookingStatus. */
const listsOf: Readonly<Record<string, readonly ('booked' | 'pending' | 'information')[]>> = {
  booked: ['booked'],
  pending: ['pending'],
  both: ['booked', 'pending'],
  information: ['information'],
  all: ['booked', 'pending', 'information'],
}

/** A page of entries, and how many there are in all. */
interface PagedEntries {
  readonly entries: readonly Transaction[]
  readonly count: number
}

/** Handlers of reports of the transactions of an account, and of one transaction. */
export function createReportHandlers(bank: Bank, clockwork: Clockwork) {
  const check = createAccountCheck(bank, clockwork)
  const { stores } = bank

  const list: Handler = async (call) => {
    const { consent, account, rights } = await check.account(call, 'transactions')
    const status = String(call.query['bookingStatus'])
    const today = onDay(call.now, bank.timeZone)
    // Standing orders have no day: then every other parameter is without effect.
    const days = status === 'information' ? undefined : readDays(call, today)
    const wantsBalances = days !== undefined && call.query['withBalance'] === true
    if (wantsBalances && !rights.has('listBalances')) throw lacking('listBalances')
    const page = days === undefined ? wholeList : readPage(call)
    await check.count(call, consent, `transactions ${account.id}`, page.index)
    const isFirst = page.index === 0
    const lists = listsOf[status] ?? []
    const isBookedWanted = lists.includes('booked')
    const information =
      lists.includes('information') && isFirst
        ? await stores.accounts.standingOrders(account.id)
        : []
    const balances = await readBalances(bank, wantsBalances ? [account] : [], call.now)
    // Beside booked entries the few pending ones are all on the first page.
    const besideBooked = isFirst ? wholeList : undefined
    const pending =
      days !== undefined && lists.includes('pending')
        ? await pendingEntries(account, days, isBookedWanted ? besideBooked : page)
        : undefined
    const booked =
      days !== undefined && isBookedWanted ? await bookedEntries(account, days, page) : undefined
    const { count } = booked ?? pending ?? { count: 0 }
    const render = (transaction: Transaction) =>
      renderTransaction(transaction, account, call.prefix)
    return {
      status: 200,
      body: {
        account: accountReference(account),
        transactions: {
          ...(booked === undefined ? {} : { booked: booked.entries.map(render) }),
          ...(pending === undefined ? {} : { pending: pending.entries.map(render) }),
          ...(lists.includes('information')
            ? { information: information.map(renderStandingOrder) }
            : {}),
          _links: {
            ...linksTo({ account: `${call.prefix}/accounts/${account.id}` }),
            ...pageLinks(call, page, count),
          },
        },
        ...(wantsBalances ? { balances: balances.get(account.id) } : {}),
      },
    }
  }

  async function pendingEntries(
    { id }: Account,
    days: Days,
    page: Page | undefined,
  ): Promise<PagedEntries> {
    if (page === undefined) return { entries: [], count: 0 }
    return {
      entries: await stores.entries.pending(id, days, page),
      count: await stores.entries.countPending(id, days),
    }
  }

  async function bookedEntries({ id }: Account, days: Days, page: Page): Promise<PagedEntries> {
    const range = await stores.entries.range(id, days)
    return { entries: await stores.entries.page(id, range, page), count: countOf(range) }
  }

  const read: Handler = async (call) => {
    const { consent, account } = await check.account(call, 'transactions')
    const id = pathParameter(call, 'transactionId')
    const transaction = isUuid(id) ? await stores.entries.find(account.id, id) : undefined
    if (transaction === undefined) {
      throw new BankError('RESOURCE_UNKNOWN', 'No booked entry of this account has this identifier')
    }
    await check.count(call, consent, `transaction ${transaction.id}`)
    const { _links, ...details } = renderTransaction(transaction, account, call.prefix)
    return { status: 200, body: { transactionsDetails: { transactionDetails: details } } }
  }

  return { list, read }
}
