import type { Holding } from '../domain/access.ts'
import type { Stores } from '../stores/bank-stores.ts'

/** All accounts of a person that a consent can cover, payment accounts before card accounts. */
export async function holdingsOf(
  stores: Pick<Stores, 'accounts' | 'cardAccounts'>,
  psuId: string,
): Promise<Holding[]> {
  const accounts = await stores.accounts.shownOf(psuId)
  const cards = await stores.cardAccounts.ofPsu(psuId)
  return [
    ...accounts.map(({ id, iban, currency, cashAccountType }) => ({
      id,
      kind: 'account' as const,
      iban,
      currency,
      cashAccountType,
    })),
    ...cards.map(({ id, iban, currency, maskedPan }) => ({
      id,
      kind: 'cardAccount' as const,
      iban,
      currency,
      maskedPan,
      cashAccountType: 'CARD',
    })),
  ]
}
