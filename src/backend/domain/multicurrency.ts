/** The currency of accounts that gather sub-accounts (ISO 4217: no currency). */
export const aggregateCurrency = 'XXX'

/**
 * Whether an account only gathers the sub-accounts of its IBAN: it shows their
 * balances and entries and has none of its own, so nothing is debited or
 * credited to it.
 */
export function isAggregate({ currency }: { readonly currency: string }): boolean {
  return currency === aggregateCurrency
}
