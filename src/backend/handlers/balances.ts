import type { Bank } from '../bank.ts'
import { addDays, onDay } from '../domain/bank-time.ts'
import { amountOf, sum } from '../domain/money.ts'
import type { Account, AccountFigures } from '../stores/accounts.ts'
import type { CardAccount, CardFigures } from '../stores/card-accounts.ts'
import { referenceIn } from './transactions.ts'

const noFigures: AccountFigures = { closing: '0', pendingIn: '0', pendingOut: '0' }
const noCardFigures: CardFigures = { invoiced: '0', nonInvoiced: '0', pending: '0' }

/** Reads the balances of accounts, by account id. An account that groups sub-accounts has the balances of each. */
export async function readBalances(
  { stores, timeZone }: Pick<Bank, 'stores' | 'timeZone'>,
  accounts: readonly Account[],
  now: number,
): Promise<ReadonlyMap<string, object[]>> {
  const today = onDay(now, timeZone)
  const shown: [Account, readonly Account[]][] = []
  for (const account of accounts) shown.push([account, await stores.accounts.partsOf(account)])
  const ids = shown.flatMap(([, parts]) => parts.map(({ id }) => id))
  const figures = await stores.accounts.figures(ids, today)
  return new Map(
    shown.map(([account, parts]) => [
      account.id,
      parts.flatMap((part) => balancesOf(part, figures.get(part.id), { today, shownIn: account })),
    ]),
  )
}

/**
 * Computes the balances of an account from its booked and pending entries.
 * Example: 500 booked (40 today), 30 pending debit, credit limit 100 →
 * closingBooked 460, interimBooked 500, expected 470, interimAvailable 570.
 */
function balancesOf(
  account: Account,
  figures: AccountFigures = noFigures,
  { today, shownIn }: { readonly today: string; readonly shownIn: Account },
): object[] {
  const { booked, creditLimit, currency, changedAt, lastDay, lastSequence } = account
  const at = { lastChangeDateTime: changedAt.toISOString() }
  const last =
    lastDay === null
      ? {}
      : {
          lastCommittedTransaction: referenceIn(shownIn, {
            currency,
            day: lastDay,
            sequence: lastSequence,
          }),
        }
  const balance = balancesIn(currency, today)
  return [
    {
      ...balance('closingBooked', [figures.closing]),
      referenceDate: addDays(today, -1),
    },
    { ...balance('interimBooked', [booked]), ...at, ...last },
    balance('expected', [booked, figures.pendingIn, figures.pendingOut]),
    { ...balance('interimAvailable', [booked, creditLimit, figures.pendingOut], true), ...at },
  ]
}

/** The balances of a card account: debts are negative. */
export function cardBalancesOf(
  card: CardAccount,
  figures: CardFigures = noCardFigures,
  today: string,
): object[] {
  const { invoiced, nonInvoiced, pending } = figures
  const balance = balancesIn(card.currency, today)
  return [
    balance('closingBooked', [invoiced]),
    balance('nonInvoiced', [nonInvoiced]),
    balance('expected', [invoiced, nonInvoiced, pending]),
    balance('interimAvailable', [card.creditLimit, invoiced, nonInvoiced], true),
  ]
}

/** Makes one balance as the sum of its parts. */
function balancesIn(currency: string, today: string) {
  return (balanceType: string, parts: string[], isLimitIncluded = false) => ({
    balanceType,
    balanceAmount: amountOf(sum(parts), currency),
    creditLimitIncluded: isLimitIncluded,
    referenceDate: today,
  })
}
