import type { Words } from '../../messages/format.ts'
import type { Bank } from '../bank.ts'
import type { AccountReference } from '../domain/access.ts'
import { aggregateCurrency } from '../domain/multicurrency.ts'
import { ibanForPeople } from './for-people.ts'

/** An account or card as its owner knows it. */
export interface ShownAccount {
  /** "Home", "Card"; undefined where no name is known. */
  readonly name: string | undefined
  /** IBAN or masked number. */
  readonly number: string
  /** A code, or words for several; undefined where the number says it all. */
  readonly currency: string | undefined
  /** What the application sees, if the accounts of a consent differ in that. */
  readonly sees?: string
}

/** An account or a card as its owner knows it. */
export type Named = ShownAccount & {
  readonly id: string
  readonly iban: string | undefined
  readonly maskedPan: string | undefined
  readonly code: string
}

/** All accounts and cards of a person by the names the person knows. */
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

/** An account that a request names, by the name of its owner where the bank keeps it for this person. */
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

/** What a reference without a currency means: the currency of the account, or `XXX` for an account of several. */
function onlyCurrency(meant: readonly Named[]): string | undefined {
  const [first, ...others] = meant.filter(({ iban }) => iban !== undefined)
  return others.length === 0 ? first?.code : aggregateCurrency
}

/** `ILY` and `XXX` are words of the interface. */
function currencyForPeople(currency: string, { t }: Words): string {
  if (currency === 'ILY') return t('bank.currency.foreign')
  return currency === aggregateCurrency ? t('bank.currency.all') : currency
}
