/** The currency of accounts that combine sub-accounts (ISO 4217: no currency). */
export const aggregateCurrency = 'XXX'

/**
 * Whether an account only combines the sub-accounts of its IBAN. It shows their
 * balances and entries and has none of its own, so no transfer debits or credits it.
 */
export function isAggregate({ currency }: { readonly currency: string }): boolean {
  return currency === aggregateCurrency
}
