import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, ok } from '../bank-call.ts'
import type { Right } from '../domain/access.ts'
import { linksTo } from '../links.ts'
import type { Account } from '../stores/accounts.ts'
import { createAccountCheck } from './account-check.ts'
import { readBalances } from './balances.ts'
import { lacking } from './consent-check.ts'
import { present } from './present.ts'
import { accountReference } from './references.ts'

/** Handlers of payment accounts and their balances. */
export function createAccountHandlers(bank: Bank) {
  const check = createAccountCheck(bank)

  const list: Handler = async (call) => {
    const consent = await check.find(call, 'account')
    const { rights } = consent
    const wantsBalances = call.query['withBalance'] === true
    const isGranted = [...rights.values()].some((granted) => granted.has('listBalances'))
    if (wantsBalances && rights.size > 0 && !isGranted) throw lacking('listBalances')
    await check.count(call, consent, 'accounts')
    const accounts = await bank.stores.accounts.byIds([...rights.keys()])
    const shown = wantsBalances
      ? accounts.filter(({ id }) => rights.get(id)?.has('listBalances'))
      : []
    const balances = await readBalances(bank, shown, call.now)
    return ok({
      accounts: accounts.map((account) =>
        details(call, account, rights.get(account.id) ?? new Set(), balances.get(account.id)),
      ),
    })
  }

  const read: Handler = async (call) => {
    const { consent, account, rights } = await check.account(call, 'detail')
    const wantsBalances = call.query['withBalance'] === true
    if (wantsBalances && !rights.has('listBalances')) throw lacking('listBalances')
    await check.count(call, consent, `account ${account.id}`)
    const balances = await readBalances(bank, wantsBalances ? [account] : [], call.now)
    return ok({ account: details(call, account, rights, balances.get(account.id)) })
  }

  const readBalancesOf: Handler = async (call) => {
    const { consent, account } = await check.account(call, 'balances')
    await check.count(call, consent, `balances ${account.id}`)
    const balances = await readBalances(bank, [account], call.now)
    return ok({ account: accountReference(account), balances: balances.get(account.id) })
  }

  return { list, read, readBalances: readBalancesOf }
}

function details(
  call: BankCall,
  account: Account,
  rights: ReadonlySet<Right>,
  balances: readonly object[] | undefined,
) {
  const self = `${call.prefix}/accounts/${account.id}`
  return {
    resourceId: account.id,
    iban: account.iban,
    currency: account.currency,
    // Needs no separate consent in Israel.
    ownerName: account.ownerName,
    name: account.name,
    ...present({ displayName: account.displayName }),
    product: account.product,
    cashAccountType: account.cashAccountType,
    status: account.status,
    usage: account.usage,
    bic: account.bic,
    ...present({ linkedAccounts: account.linkedAccounts, details: account.details, balances }),
    _links: linksTo({
      balances: rights.has('balances') ? `${self}/balances` : undefined,
      transactions: rights.has('transactions') ? `${self}/transactions` : undefined,
    }),
  }
}
