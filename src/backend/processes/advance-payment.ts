import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { type PaymentEvent, paymentTransitions, type TransactionStatus } from '../domain/payment.ts'
import { findPaymentProduct, type PaymentProduct } from '../domain/payment-products.ts'
import { creditMs, nextAttempt, settlementsMost } from '../domain/settlement.ts'
import { after } from '../domain/transitions.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Payment } from '../stores/payments.ts'
import { bookPayment } from './book-payment.ts'
import { lockAccounts } from './lock-accounts.ts'
import { covers } from './transfer-accounts.ts'

/**
 * Takes a payment one step further at the planned time: check of funds, settlement,
 * booking, confirmation by the creditor's bank. The caller's transaction must have
 * locked the payment. Without funds, the bank tries settlement three times. It
 * rejects an instant payment, or one with `rejectsWithoutFunds`, at once.
 */
export async function advance(
  bank: Pick<Bank, 'randomUUID' | 'timeZone'>,
  stores: Stores,
  payment: Payment,
): Promise<void> {
  switch (payment.status) {
    case 'ACTC':
    case 'ACWC':
      return checkFunds(stores, payment)
    case 'ACFC':
      return move(stores, payment, 'execute', { dueAt: payment.settleAt })
    case 'ACSP':
      return settle(bank, stores, payment)
    case 'ACSC':
      return move(stores, payment, 'credit', { dueAt: null })
    default:
      throw new Error(`payment ${payment.id} is ${payment.status} and due`)
  }
}

/** Records whether the payment is covered. On the day of execution it goes into settlement, which checks again. */
async function checkFunds(stores: Stores, payment: Payment): Promise<void> {
  const { executeAt, settleAt, debtorAccountId, dueAt } = planOf(payment)
  const [debtor] = await stores.accounts.byIds([debtorAccountId])
  const fundsAvailable = covers(debtor, payment.amount)
  if (!fundsAvailable && payment.rejectsWithoutFunds) {
    return move(stores, payment, 'reject', { dueAt: null, fundsAvailable })
  }
  const isExecuted = dueAt >= executeAt
  if (isExecuted) return move(stores, payment, 'execute', { dueAt: settleAt, fundsAvailable })
  if (fundsAvailable) return move(stores, payment, 'fund', { dueAt: executeAt, fundsAvailable })
  await stores.payments.update(payment.id, { dueAt: executeAt, fundsAvailable })
}

async function settle(
  bank: Pick<Bank, 'randomUUID' | 'timeZone'>,
  stores: Stores,
  payment: Payment,
): Promise<void> {
  const product = assertFound(findPaymentProduct(payment.product))
  const { settleAt: at, debtorAccountId } = planOf(payment)
  const { body, currency } = payment
  const moved = await lockAccounts(stores, {
    debtorAccountId,
    creditorAccount: body.creditorAccount,
    currency,
  })
  const { debtor, creditor } = moved
  if (creditor !== undefined && creditor.status !== 'enabled') {
    return move(stores, payment, 'reject', { dueAt: null })
  }
  if (!covers(debtor, payment.amount)) {
    return settleLater(bank.timeZone, stores, payment, product)
  }
  await bookPayment(bank, stores, moved, { payment, at })
  // Other banks confirm the booking only of instant payments.
  const isConfirmed = product.settlement === 'instant' || creditor !== undefined
  const dueAt = isConfirmed ? new Date(at.getTime() + creditMs) : null
  await move(stores, payment, 'settle', { dueAt, fundsAvailable: true })
}

async function settleLater(
  timeZone: string,
  stores: Stores,
  payment: Payment,
  product: PaymentProduct,
): Promise<void> {
  const attempts = payment.attempts + 1
  const again = nextAttempt(product, planOf(payment).settleAt.getTime(), timeZone)
  const isOver = attempts >= settlementsMost || payment.rejectsWithoutFunds
  const fundsAvailable = false
  if (again === undefined || isOver) {
    return move(stores, payment, 'reject', { dueAt: null, attempts, fundsAvailable })
  }
  const settleAt = new Date(again)
  await stores.payments.update(payment.id, { settleAt, dueAt: settleAt, attempts, fundsAvailable })
}

/** The members that a constraint guarantees for every approved payment until its settlement. */
function planOf({ id, executeAt, settleAt, dueAt, debtorAccountId }: Payment) {
  if (executeAt === null || settleAt === null || dueAt === null || debtorAccountId === null) {
    throw new Error(`payment ${id} is approved without an account or a time`)
  }
  return { executeAt, settleAt, dueAt, debtorAccountId }
}

async function move(
  stores: Stores,
  { id, status: from }: Payment,
  event: PaymentEvent,
  change: Parameters<Stores['payments']['update']>[1],
): Promise<void> {
  const status: TransactionStatus | undefined = after(paymentTransitions, from, event)
  if (status === undefined) throw new Error(`payment ${id} is ${from}: no ${event}`)
  await stores.payments.update(id, { ...change, status })
}
