import type { Bank } from '../bank.ts'
import { type BankCall, pathParameter } from '../bank-call.ts'
import type { Right } from '../domain/access.ts'
import type { Account } from '../stores/accounts.ts'
import type { ConsentWithRights } from '../stores/consents.ts'
import { createConsentCheck } from './consent-check.ts'

/** An account that a call may read. */
export interface CoveredAccount {
  readonly consent: ConsentWithRights
  readonly account: Account
  /** The accounts whose balances and entries it shows: itself, or the sub-accounts that it combines. */
  readonly parts: readonly Account[]
  readonly rights: ReadonlySet<Right>
}

/** The checks of a read of payment accounts. */
export function createAccountCheck(bank: Bank) {
  const check = createConsentCheck(bank)
  return {
    ...check,

    /** The account of the path, if the consent covers it with this right. */
    async account(call: BankCall, right: Right): Promise<CoveredAccount> {
      const consent = await check.find(call, 'account')
      const id = pathParameter(call, 'account-id')
      const rights = check.cover(consent, id, right)
      const [account] = await bank.stores.accounts.byIds([id])
      if (account === undefined) throw new Error(`consent ${consent.consent.id} covers no account`)
      return { consent, account, rights, parts: await bank.stores.accounts.partsOf(account) }
    },
  }
}
