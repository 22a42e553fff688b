import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { compare, negate, sum } from '../domain/money.ts'
import { paymentTransitions } from '../domain/payment.ts'
import { after } from '../domain/transitions.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Payment } from '../stores/payments.ts'

/**
 * Books a payment in settlement on the accounts of this bank, in the
 * transaction of the caller, who has locked the payment: the status, both
 * balances and both entries change together or not at all. Without funds the
 * payment is rejected and nothing is booked. Entries carry the time the payment
 * was planned for, however late somebody looked.
 */
export async function settle(
  bank: Pick<Bank, 'randomUUID' | 'timeZone'>,
  stores: Stores,
  payment: Payment,
): Promise<void> {
  const { body, amount, currency, debtorAccountId, settleAt } = payment
  if (debtorAccountId === null || settleAt === null) {
    throw new Error(`payment ${payment.id} is in settlement without an account or a time`)
  }
  const creditors = await stores.accounts.byIban(body.creditorAccount.iban ?? '')
  const creditorId = creditors.find((account) => account.currency === currency)?.id
  const locked = await stores.accounts.lock(
    creditorId === undefined ? [debtorAccountId] : [debtorAccountId, creditorId],
  )
  const debtor = locked.find(({ id }) => id === debtorAccountId)
  const isCovered =
    debtor?.status === 'enabled' && compare(sum([debtor.booked, debtor.creditLimit]), amount) >= 0
  const status = after(paymentTransitions, payment.status, isCovered ? 'settle' : 'reject')
  if (status === undefined) throw new Error(`payment ${payment.id} is settled twice`)
  await stores.payments.update(payment.id, { status })
  if (!isCovered) return

  const shared = {
    day: onDay(settleAt.getTime(), bank.timeZone),
    currency,
    remittance: body.remittanceInformationUnstructured ?? null,
    endToEndId: body.endToEndIdentification ?? null,
    purposeCode: body.purposeCode ?? null,
    paymentId: payment.id,
    at: settleAt,
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
  if (creditorId === undefined) return
  await stores.accounts.book({
    ...shared,
    id: bank.randomUUID(),
    accountId: creditorId,
    amount,
    counterpartyName: debtor.ownerName,
    counterpartyIban: debtor.iban,
    bankCode: 'PMNT-RCDT-DMCT',
    proprietaryCode: 'TRF-IN',
  })
}
