import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { negate } from '../domain/money.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Payment } from '../stores/payments.ts'
import { promised } from '../stores/promised.ts'

/** The accounts of this bank that a payment moves. */
export interface MovedAccounts {
  readonly debtor: Account
  /** Undefined: of another bank. */
  readonly creditor: Account | undefined
}

/** Holds the accounts that a payment moves until the transaction ends. */
export async function lockAccounts(
  stores: Stores,
  { id, body, currency, debtorAccountId }: Payment,
): Promise<MovedAccounts> {
  if (debtorAccountId === null) throw new Error(`payment ${id} is in settlement without an account`)
  const creditors = await stores.accounts.byIban(body.creditorAccount.iban ?? '')
  const creditorId = creditors.find((account) => account.currency === currency)?.id
  const locked = await stores.accounts.lock(
    creditorId === undefined ? [debtorAccountId] : [debtorAccountId, creditorId],
  )
  return {
    debtor: promised(locked.find((account) => account.id === debtorAccountId)),
    creditor: locked.find((account) => account.id === creditorId),
  }
}

/**
 * Books a payment on the accounts of this bank, in the transaction of the
 * caller, who has locked payment and accounts: both balances and both entries
 * change together or not at all. Entries carry the time the payment was planned
 * for, however late somebody looked.
 */
export async function bookPayment(
  bank: Pick<Bank, 'randomUUID' | 'timeZone'>,
  stores: Stores,
  {
    payment,
    debtor,
    creditor,
    at,
  }: MovedAccounts & { readonly payment: Payment; readonly at: Date },
): Promise<void> {
  const { body, amount, currency } = payment
  const shared = {
    day: onDay(at.getTime(), bank.timeZone),
    currency,
    remittance: body.remittanceInformationUnstructured ?? null,
    endToEndId: body.endToEndIdentification ?? null,
    purposeCode: body.purposeCode ?? null,
    paymentId: payment.id,
    at,
  }
  await stores.accounts.book({
    ...shared,
    id: bank.randomUUID(),
    accountId: debtor.id,
    amount: negate(amount),
    counterpartyName: body.creditorName,
    counterpartyIban: body.creditorAccount.iban ?? null,
    bankCode: 'PMNT-ICDT-DMCT',
    proprietaryCode: 'TRF-OUT',
  })
  if (creditor === undefined) return
  await stores.accounts.book({
    ...shared,
    id: bank.randomUUID(),
    accountId: creditor.id,
    amount,
    counterpartyName: debtor.ownerName,
    counterpartyIban: debtor.iban,
    bankCode: 'PMNT-RCDT-DMCT',
    proprietaryCode: 'TRF-IN',
  })
}
