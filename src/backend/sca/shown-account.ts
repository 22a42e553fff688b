import type { AccountReference } from '../domain/access.ts'
import { aggregateCurrency } from '../domain/multicurrency.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { ibanForPeople } from './for-people.ts'

/** An account or card as its owner knows it. */
export interface ShownAccount {
  /** "Home", "Card", or the IBAN where no name is known. */
  readonly name: string
  /** IBAN or masked number, and the currency; empty where the name says it all. */
  readonly detail: string
  /** What the application sees, if the accounts of a consent differ in that. */
  readonly sees?: string
}

/** An account or a card as its owner knows it. */
export type Named = ShownAccount & {
  readonly id: string
  readonly iban: string | undefined
  readonly maskedPan: string | undefined
  readonly currency: string
}

/** All accounts and cards of a person by the names the person knows. */
export async function namedAccounts(
  stores: Pick<Stores, 'accounts' | 'cardAccounts'>,
  psuId: string,
): Promise<readonly Named[]> {
  const accounts = await stores.accounts.shownOf(psuId)
  const cards = await stores.cardAccounts.ofPsu(psuId)
  return [
    ...accounts.map(({ id, iban, currency, displayName, name }) => ({
      ...{ id, iban, currency, maskedPan: undefined },
      name: displayName ?? name,
      detail: `${ibanForPeople(iban)} · ${currencyForPeople(currency)}`,
    })),
    ...cards.map(({ id, currency, maskedPan, displayName }) => ({
      ...{ id, iban: undefined, currency, maskedPan },
      name: displayName ?? 'Card',
      detail: maskedPan,
    })),
  ]
}

/** An account that a request names, by the name of its owner where the bank keeps it for this person. */
export function shownAccount(reference: AccountReference, own: readonly Named[]): ShownAccount {
  const { iban, maskedPan, currency } = reference
  const meant = own.filter(
    (account) =>
      (iban !== undefined ? account.iban === iban : account.maskedPan === maskedPan) &&
      (currency === undefined || currency === 'ILY' || account.currency === currency),
  )
  const [first] = meant
  const number = iban ?? maskedPan ?? reference.bban ?? reference.other?.identification ?? ''
  const shown = iban === undefined ? number : ibanForPeople(iban)
  const named = currency ?? onlyCurrency(meant)
  const suffix = named === undefined ? '' : ` · ${currencyForPeople(named)}`
  if (first === undefined) return { name: `${shown}${suffix}`, detail: '' }
  return { name: first.name, detail: `${shown}${suffix}` }
}

/** What a reference without a currency means: the currency of the account, or `XXX` for an account of several. */
function onlyCurrency(meant: readonly Named[]): string | undefined {
  const [first, ...others] = meant.filter(({ iban }) => iban !== undefined)
  return others.length === 0 ? first?.currency : aggregateCurrency
}

/** `ILY` and `XXX` are words of the interface. */
function currencyForPeople(currency: string): string {
  if (currency === 'ILY') return 'foreign currencies'
  return currency === aggregateCurrency ? 'all currencies' : currency
}
