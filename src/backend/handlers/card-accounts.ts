import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, ok, pathParameter } from '../bank-call.ts'
import type { Right } from '../domain/access.ts'
import { onDay } from '../domain/bank-time.ts'
import { amountOf } from '../domain/money.ts'
import { linksTo } from '../links.ts'
import type { CardAccount, CardTransaction } from '../stores/card-accounts.ts'
import { countOf, type Days } from '../stores/entry-range.ts'
import { cardBalancesOf } from './balances.ts'
import { createConsentCheck } from './consent-check.ts'
import { type Page, pageLinks, readDays, readPage, wholeList } from './pages.ts'
import { present } from './present.ts'

/** Handlers of the accounts behind cards, their balances and transactions. */
export function createCardAccountHandlers(bank: Bank) {
  const check = createConsentCheck(bank)

  async function covered(call: BankCall, right: Right) {
    const consent = await check.find(call, 'cardAccount')
    const id = pathParameter(call, 'account-id')
    const rights = check.cover(consent, id, right)
    const [card] = await bank.stores.cardAccounts.byIds([id])
    if (card === undefined) throw new Error(`consent ${consent.consent.id} covers no card account`)
    return { consent, card, rights }
  }

  function details(call: BankCall, card: CardAccount, rights: ReadonlySet<Right>) {
    const self = `${call.prefix}/card-accounts/${card.id}`
    return {
      resourceId: card.id,
      maskedPan: card.maskedPan,
      currency: card.currency,
      usage: card.usage,
      ownerName: card.ownerName,
      name: card.name,
      ...present({ displayName: card.displayName }),
      product: card.product,
      status: card.status,
      ...present({ details: card.details }),
      debitAccounting: false,
      creditLimit: amountOf(card.creditLimit, card.currency),
      _links: linksTo({
        balances: rights.has('balances') ? `${self}/balances` : undefined,
        transactions: rights.has('transactions') ? `${self}/transactions` : undefined,
      }),
    }
  }

  const list: Handler = async (call) => {
    const consent = await check.find(call, 'cardAccount')
    await check.count(call, consent, 'card-accounts')
    const cards = await bank.stores.cardAccounts.byIds([...consent.rights.keys()])
    return ok({
      cardAccounts: cards.map((card) =>
        details(call, card, consent.rights.get(card.id) ?? new Set()),
      ),
    })
  }

  const read: Handler = async (call) => {
    const { consent, card, rights } = await covered(call, 'detail')
    await check.count(call, consent, `account ${card.id}`)
    return ok({ cardAccount: details(call, card, rights) })
  }

  const readBalances: Handler = async (call) => {
    const { consent, card } = await covered(call, 'balances')
    await check.count(call, consent, `balances ${card.id}`)
    const today = onDay(call.now, bank.timeZone)
    const figures = await bank.stores.cardAccounts.figures([card.id], today)
    return ok({
      cardAccount: referenceTo(card),
      balances: cardBalancesOf(card, figures.get(card.id), today),
      debitAccounting: false,
    })
  }

  /** One page of the requested entries, and the number of entries to page through. */
  async function entriesOf({ id }: CardAccount, status: string, days: Days, page: Page) {
    const { cardAccounts } = bank.stores
    if (status === 'pending') {
      const count = await cardAccounts.countPending(id, days)
      return { booked: [], pending: await cardAccounts.pending(id, days, page), count }
    }
    const range = await cardAccounts.range(id, days)
    const booked = await cardAccounts.page(id, range, page)
    if (status === 'booked') return { booked, pending: undefined, count: countOf(range) }
    // With booked entries, the first page holds all pending ones, which are few.
    const pending = page.index === 0 ? await cardAccounts.pending(id, days, wholeList) : []
    return { booked, pending, count: countOf(range) }
  }

  const listTransactions: Handler = async (call) => {
    const { consent, card } = await covered(call, 'transactions')
    const status = String(call.query['bookingStatus'])
    const days = readDays(call, onDay(call.now, bank.timeZone))
    const page = readPage(call)
    await check.count(call, consent, `transactions ${card.id}`, page.index)
    const { booked, pending, count } = await entriesOf(card, status, days, page)
    const render = (transaction: CardTransaction) => renderCardTransaction(transaction, card)
    return ok({
      cardAccount: referenceTo(card),
      debitAccounting: false,
      cardTransactions: {
        booked: booked.map(render),
        ...present({ pending: pending?.map(render) }),
        _links: {
          ...linksTo({ cardAccount: `${call.prefix}/card-accounts/${card.id}` }),
          ...pageLinks(call, page, count),
        },
      },
    })
  }

  return { list, read, readBalances, listTransactions }
}

function referenceTo({ maskedPan, currency }: CardAccount) {
  return { maskedPan, currency }
}

/** A card entry in the form of the interface; spending is negative. */
function renderCardTransaction(transaction: CardTransaction, card: CardAccount) {
  return {
    // With its hyphens, a UUID is one character longer than the interface allows.
    cardTransactionId: transaction.id.replaceAll('-', ''),
    ...present({
      terminalId: transaction.terminalId,
      transactionDate: transaction.transactionDay,
      acceptorTransactionDateTime: transaction.acceptedAt.toISOString(),
      bookingDate: transaction.bookingDay,
      valueDate: transaction.dueDay,
    }),
    transactionAmount: amountOf(transaction.amount, transaction.currency),
    ...renderExchange(transaction),
    cardAcceptorName: transaction.acceptorName,
    cardAcceptorAddress: {
      townName: transaction.acceptorTown,
      country: transaction.acceptorCountry,
    },
    merchantCategoryCode: transaction.merchantCategory,
    maskedPAN: card.maskedPan,
    invoiced: transaction.invoiced,
  }
}

/**
 * The cost of a purchase in another currency, and the fee that it includes.
 * Example: 49.99 USD at 3.7243 are 186.18 ILS, with a fee of 2 % 189.90.
 */
function renderExchange(transaction: CardTransaction) {
  const { currency, originalAmount, originalCurrency, exchangeRate, markupFee } = transaction
  if (originalAmount === null || originalCurrency === null) return {}
  return {
    ...(markupFee === null ? {} : { grandTotalAmount: amountOf(transaction.amount, currency) }),
    ...(exchangeRate === null
      ? {}
      : {
          currencyExchange: [
            {
              sourceCurrency: originalCurrency,
              exchangeRate,
              unitCurrency: originalCurrency,
              targetCurrency: currency,
              quotationDate: transaction.transactionDay,
            },
          ],
        }),
    originalAmount: amountOf(originalAmount, originalCurrency),
    ...(markupFee === null ? {} : { markupFee: amountOf(markupFee, currency) }),
    ...present({ markupFeePercentage: transaction.markupFeePercentage }),
  }
}
