import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { findPaymentProduct } from '../domain/payment-products.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Payment } from '../stores/payments.ts'
import { bookTransfer } from './book-transfer.ts'
import type { MovedAccounts } from './lock-accounts.ts'

/**
 * Books a payment on the accounts of this bank. The caller's transaction must have
 * locked the payment and the accounts. Entries carry the planned time of the
 * payment, even if the booking happens later.
 */
export async function bookPayment(
  bank: Pick<Bank, 'randomUUID' | 'timeZone'>,
  stores: Stores,
  moved: MovedAccounts,
  { payment, at }: { readonly payment: Payment; readonly at: Date },
): Promise<void> {
  const { body, amount, currency } = payment
  const { settlement, transfer } = assertFound(findPaymentProduct(payment.product))
  // Issued and received, as a real-time or an ordinary credit transfer.
  const [issued, received] = settlement === 'instant' ? ['IRCT', 'RRCT'] : ['ICDT', 'RCDT']
  await bookTransfer(bank, stores, moved, {
    day: onDay(at.getTime(), bank.timeZone),
    amount,
    currency,
    creditorName: body.creditorName,
    creditorIban: body.creditorAccount.iban ?? null,
    remittance: body.remittanceInformationUnstructured ?? null,
    endToEndId: body.endToEndIdentification ?? null,
    purposeCode: body.purposeCode ?? null,
    paymentId: payment.id,
    at,
    debit: { bankCode: `PMNT-${issued}-${transfer}`, proprietaryCode: 'TRF-OUT' },
    credit: { bankCode: `PMNT-${received}-${transfer}`, proprietaryCode: 'TRF-IN' },
  })
}
