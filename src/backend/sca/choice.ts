import type { Words } from '../../messages/format.ts'
import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { consentModel } from '../domain/access.ts'
import { holdingsOf } from '../processes/holdings.ts'
import { isDebitable } from '../processes/transfer-accounts.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import { namedAccounts, type ShownAccount } from './shown-account.ts'

/** The choice that the TPP leaves to the PSU: the account to pay from, or the accounts to show. */
export interface Choice {
  readonly kind: 'one' | 'several'
  readonly options: readonly (ShownAccount & { readonly id: string })[]
}

/** The choice of an authorisation; undefined if the TPP has named everything, or the PSU has nothing to choose from. */
export async function choiceOf(
  bank: Pick<Bank, 'stores' | 'sandbox'>,
  authorisation: Authorisation,
  words: Words,
): Promise<Choice | undefined> {
  const { stores } = bank
  const parent = parentOf(authorisation)
  const psuId = authorisation.psuId ?? ''
  const own = await namedAccounts(bank, psuId, words)
  const named = (id: string) => assertFound(own.find((account) => account.id === id))
  if (parent.kind === 'payment' && authorisation.purpose === 'creation') {
    const { body, currency } = assertFound(await stores.payments.find(parent.id))
    if (body.debtorAccount !== undefined) return undefined
    const accounts = await stores.accounts.ofPsu(psuId)
    const options = accounts
      .filter((account) => isDebitable(account, currency))
      .map(({ id }) => named(id))
    return someOf({ kind: 'one', options })
  }
  if (parent.kind !== 'consent') return undefined
  const { access } = assertFound(await stores.consents.find(parent.id))
  if (consentModel(access) !== 'bankOffered') return undefined
  const { restrictedTo = [] } = access
  const options = (await holdingsOf(stores, psuId))
    .filter(
      (holding) => restrictedTo.length === 0 || restrictedTo.includes(holding.cashAccountType),
    )
    .map(({ id }) => named(id))
  return someOf({ kind: 'several', options })
}

function someOf(choice: Choice): Choice | undefined {
  return choice.options.length === 0 ? undefined : choice
}
