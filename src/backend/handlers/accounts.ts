import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import type { Right } from '../domain/access.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { linksTo } from '../links.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import type { Account } from '../stores/accounts.ts'
import { balancesOf } from './balances.ts'
import { createConsentCheck, lacking } from './consent-check.ts'
import { pageLinks, readPage, readPeriod, wholeList } from './pages.ts'
import { renderStandingOrder, renderTransaction } from './transactions.ts'

/** Handlers of payment accounts, their balances and transactions. */
export function createAccountHandlers(bank: Bank, clockwork: Clockwork) {
  const check = createConsentCheck(bank, clockwork)

  /** An account that the consent covers with the right. What is due is booked before anything is read. */
  async function covered(call: BankCall, right: Right) {
    const consent = await check.find(call, 'account')
    const id = pathParameter(call, 'account-id')
    const rights = check.cover(consent, id, right)
    await clockwork.payments(call.now)
    const [account] = await bank.stores.accounts.byIds([id])
    if (account === undefined) throw new Error(`consent ${consent.consent.id} covers no account`)
    return { consent, account, rights }
  }

  async function balances(accounts: readonly Account[], now: number) {
    const today = onDay(now, bank.timeZone)
    const ids = accounts.map(({ id }) => id)
    const figures = await bank.stores.accounts.figures(ids, today)
    return (account: Account) => balancesOf(account, figures.get(account.id), today)
  }

  function details(
    call: BankCall,
    account: Account,
    rights: ReadonlySet<Right>,
    withBalances: readonly object[] | undefined,
  ) {
    const self = `${call.prefix}/accounts/${account.id}`
    return {
      resourceId: account.id,
      iban: account.iban,
      currency: account.currency,
      ownerName: account.ownerName,
      name: account.name,
      product: account.product,
      cashAccountType: account.cashAccountType,
      status: account.status,
      usage: account.usage,
      bic: account.bic,
      ...(withBalances === undefined ? {} : { balances: withBalances }),
      _links: linksTo({
        balances: rights.has('balances') ? `${self}/balances` : undefined,
        transactions: rights.has('transactions') ? `${self}/transactions` : undefined,
      }),
    }
  }

  const list: Handler = async (call) => {
    const consent = await check.find(call, 'account')
    const { rights } = consent
    const wantsBalances = call.query['withBalance'] === true
    const isGranted = [...rights.values()].some((granted) => granted.has('listBalances'))
    if (wantsBalances && rights.size > 0 && !isGranted) throw lacking('listBalances')
    await check.count(call, consent, 'accounts')
    await clockwork.payments(call.now)
    const accounts = await bank.stores.accounts.byIds([...rights.keys()])
    const balancesFor = await balances(wantsBalances ? accounts : [], call.now)
    return {
      status: 200,
      body: {
        accounts: accounts.map((account) => {
          const granted = rights.get(account.id) ?? new Set()
          const isShown = wantsBalances && granted.has('listBalances')
          return details(call, account, granted, isShown ? balancesFor(account) : undefined)
        }),
      },
    }
  }

  const read: Handler = async (call) => {
    const { consent, account, rights } = await covered(call, 'detail')
    const wantsBalances = call.query['withBalance'] === true
    if (wantsBalances && !rights.has('listBalances')) throw lacking('listBalances')
    await check.count(call, consent, `account ${account.id}`)
    const shown = wantsBalances ? (await balances([account], call.now))(account) : undefined
    return { status: 200, body: { account: details(call, account, rights, shown) } }
  }

  const readBalances: Handler = async (call) => {
    const { consent, account } = await covered(call, 'balances')
    await check.count(call, consent, `balances ${account.id}`)
    const balancesFor = await balances([account], call.now)
    return {
      status: 200,
      body: { account: referenceTo(account), balances: balancesFor(account) },
    }
  }

  const listTransactions: Handler = async (call) => {
    const { consent, account, rights } = await covered(call, 'transactions')
    const status = String(call.query['bookingStatus'])
    const today = onDay(call.now, bank.timeZone)
    // Standing orders have no day: then every other parameter is without effect.
    const period = status === 'information' ? undefined : readPeriod(call, today)
    const wantsBalances = period !== undefined && call.query['withBalance'] === true
    if (wantsBalances && !rights.has('listBalances')) throw lacking('listBalances')
    const page = readPage(call)
    const isFirst = page.index === 0
    await check.count(call, consent, `transactions ${account.id}`, page.index)
    const self = `${call.prefix}/accounts/${account.id}`
    const { accounts } = bank.stores
    const booked =
      period !== undefined && ['booked', 'both', 'all'].includes(status)
        ? { accountId: account.id, status: 'booked' as const, ...period }
        : undefined
    const pending =
      period !== undefined && ['pending', 'both', 'all'].includes(status)
        ? { accountId: account.id, status: 'pending' as const, ...period }
        : undefined
    const paged = booked ?? pending
    const count = paged === undefined ? 0 : await accounts.countTransactions(paged)
    return {
      status: 200,
      body: {
        account: referenceTo(account),
        transactions: {
          ...(booked === undefined
            ? {}
            : {
                booked: (await accounts.transactions(booked, page)).map(rendering(call, account)),
              }),
          // Beside booked entries the few pending ones are all on the first page.
          ...(pending === undefined
            ? {}
            : {
                pending: (booked === undefined
                  ? await accounts.transactions(pending, page)
                  : isFirst
                    ? await accounts.transactions(pending, wholeList)
                    : []
                ).map(rendering(call, account)),
              }),
          ...(status === 'information' || status === 'all'
            ? {
                information: isFirst
                  ? (await accounts.standingOrders(account.id)).map(renderStandingOrder)
                  : [],
              }
            : {}),
          _links: { ...linksTo({ account: self }), ...pageLinks(call, page, count) },
        },
        ...(wantsBalances ? { balances: (await balances([account], call.now))(account) } : {}),
      },
    }
  }

  const readTransaction: Handler = async (call) => {
    const { consent, account } = await covered(call, 'transactions')
    const id = pathParameter(call, 'transactionId')
    const transaction = isUuid(id)
      ? await bank.stores.accounts.transaction(account.id, id)
      : undefined
    if (transaction === undefined) {
      throw new BankError('RESOURCE_UNKNOWN', 'No booked entry of this account has this identifier')
    }
    await check.count(call, consent, `transaction ${transaction.id}`)
    const { _links, ...details } = renderTransaction(transaction, account, call.prefix)
    return { status: 200, body: { transactionsDetails: { transactionDetails: details } } }
  }

  return { list, read, readBalances, listTransactions, readTransaction }
}

function rendering(call: BankCall, account: Account) {
  return (transaction: Parameters<typeof renderTransaction>[0]) =>
    renderTransaction(transaction, account, call.prefix)
}

function referenceTo({ iban, currency }: Account) {
  return { iban, currency }
}
