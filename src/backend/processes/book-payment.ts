import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { negate } from '../domain/money.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Payment } from '../stores/payments.ts'
import type { MovedAccounts } from './lock-accounts.ts'

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
