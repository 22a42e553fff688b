import type { Words } from '../../messages/format.ts'
import type { Bank } from '../bank.ts'
import type { AccountReference } from '../domain/access.ts'
import { aggregateCurrency } from '../domain/multicurrency.ts'
import { ibanForPeople } from './for-people.ts'

/** An account or card as the pages show it to its owner. */
export interface ShownAccount {
  /** "Home", "Card"; undefined: without a name. */
  readonly name: string | undefined
  /** IBAN or masked number. */
  readonly number: string
  /** A code, or words for several currencies; undefined if the number is clear without it. */
  readonly currency: string | undefined
  /** What the application sees, if the accounts of a consent differ in this. */
  readonly sees?: string
}

/** A {@link ShownAccount} with the members that a reference can name. */
export type Named = ShownAccount & {
  readonly id: string
  readonly iban: string | undefined
  readonly maskedPan: string | undefined
  readonly code: string
}

/** All accounts and cards of a person with the names that the person sees at the bank. */
export async function namedAccounts(
  { stores, sandbox }: Pick<Bank, 'stores' | 'sandbox'>,
  psuId: string,
  words: Words,
): Promise<readonly Named[]> {
  const accounts = await stores.accounts.shownOf(psuId)
  const cards = await stores.cardAccounts.ofPsu(psuId)
  const inWords = (name: string) => sandbox?.nameIn(words.language, name) ?? name
  return [
    ...accounts.map(({ id, iban, currency, displayName, name }) => ({
      id,
      iban,
      code: currency,
      maskedPan: undefined,
      name: inWords(displayName ?? name),
      number: ibanForPeople(iban),
      currency: currencyForPeople(currency, words),
    })),
    ...cards.map(({ id, currency, maskedPan, displayName }) => ({
      id,
      iban: undefined,
      code: currency,
      maskedPan,
      name: displayName === null ? words.t('bank.card') : inWords(displayName),
      number: maskedPan,
      currency: undefined,
    })),
  ]
}

/** An account in a request. It has its name if it belongs to this person. */
export function shownAccount(
  reference: AccountReference,
  own: readonly Named[],
  words: Words,
): ShownAccount {
  const { iban, maskedPan, currency } = reference
  const meant = own.filter(
    (account) =>
      (iban !== undefined ? account.iban === iban : account.maskedPan === maskedPan) &&
      (currency === undefined || currency === 'ILY' || account.code === currency),
  )
  const number = iban ?? maskedPan ?? reference.bban ?? reference.other?.identification ?? ''
  const named = currency ?? onlyCurrency(meant)
  return {
    name: meant[0]?.name,
    number: iban === undefined ? number : ibanForPeople(iban),
    currency: named === undefined ? undefined : currencyForPeople(named, words),
  }
}

/** The currency of a reference without one: that of the account, or `XXX` for an account of several currencies. */
function onlyCurrency(meant: readonly Named[]): string | undefined {
  const [first, ...others] = meant.filter(({ iban }) => iban !== undefined)
  return others.length === 0 ? first?.code : aggregateCurrency
}

/** Translates `ILY` and `XXX`, which are codes of the interface, into words. */
function currencyForPeople(currency: string, { t }: Words): string {
  if (currency === 'ILY') return t('bank.currency.foreign')
  return currency === aggregateCurrency ? t('bank.currency.all') : currency
}
