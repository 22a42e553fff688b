import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, ok, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { addMonths } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { paymentMessages } from '../domain/payment.ts'
import { readPaymentInitiation } from '../domain/payment-initiation.ts'
import { findPaymentProduct, withdrawn } from '../domain/payment-products.ts'
import { idempotent } from '../idempotent.ts'
import { pathsOf, resourceLinks } from '../links.ts'
import type { Payment } from '../stores/payments.ts'
import { askForApproval } from './ask-for-approval.ts'
import { askToEnd } from './ask-to-end.ts'
import { checkDebtor, prefersRejection } from './check-debtor.ts'
import { checkSession } from './check-session.ts'
import { findPsu } from './find-psu.ts'
import { checkPayment } from './payment-rules.ts'
import { fundsMissing, warningsOf } from './payment-warnings.ts'
import { planApproval } from './plan-approval.ts'

/** Months during which a payment can be read (our choice). */
const monthsKept = 13

/**
 * Finds a payment of the calling TPP with the product in the path; all others are unknown.
 *
 * @throws {BankError} 404 RESOURCE_UNKNOWN; 403 RESOURCE_EXPIRED after 13 months
 */
export async function findOwnPayment(
  { stores }: Pick<Bank, 'stores'>,
  call: BankCall,
): Promise<Payment> {
  const id = pathParameter(call, 'paymentId')
  const payment = isUuid(id) ? await stores.payments.find(id) : undefined
  if (
    payment === undefined ||
    payment.applicationId !== call.applicationId ||
    payment.product !== pathParameter(call, 'payment-product')
  ) {
    throw new BankError('RESOURCE_UNKNOWN', 'No payment of this product has this identifier')
  }
  const oldest = addMonths(new Date(call.now).toISOString().slice(0, 10), -monthsKept)
  if (payment.createdAt.toISOString().slice(0, 10) < oldest) {
    throw new BankError('RESOURCE_EXPIRED', `Payments can be read for ${monthsKept} months`)
  }
  return payment
}

/** Paths of a payment in the version of the call. */
export function paymentPaths(call: BankCall, payment: Pick<Payment, 'product' | 'id'>) {
  return pathsOf(call, 'payments', payment.product, payment.id)
}

/** Handlers of single payments. */
export function createPaymentHandlers(bank: Bank) {
  const initiate: Handler = async (call) => {
    const product = findPaymentProduct(pathParameter(call, 'payment-product'))
    if (product === undefined) throw new BankError('PRODUCT_UNKNOWN', 'No such payment product')
    const body = readPaymentInitiation(call.body ?? {})
    const { timeZone } = bank
    return idempotent(bank, call, async (stores) => {
      checkPayment(body, { product, isStrict: call.isStrict, now: call.now, timeZone })
      const plan = planApproval(call, true)
      const psu = await findPsu(stores, call)
      await checkSession({ bank, stores, now: call.now }, call)
      if (psu !== undefined) await checkDebtor(stores, call, psu, body)
      const id = bank.randomUUID()
      await stores.payments.insert({
        id,
        applicationId: call.applicationId,
        product: product.name,
        body: JSON.stringify(body),
        amount: body.instructedAmount.amount,
        currency: body.instructedAmount.currency,
        status: 'RCVD',
        psuId: psu?.id ?? null,
        debtorAccountId: null,
        executeAt: null,
        settleAt: null,
        dueAt: null,
        rejectsWithoutFunds: prefersRejection(call),
        fundsAvailable: null,
        createdAt: new Date(call.now),
      })
      const paths = paymentPaths(call, { product: product.name, id })
      const parent = { kind: 'payment', id } as const
      const asked = await askForApproval(bank, stores, call, { parent, paths, plan, psu })
      const warnings = warningsOf(body, product, call.now, timeZone)
      return {
        status: 201,
        headers: { location: paths.self, 'aspsp-sca-approach': plan.approach },
        body: {
          transactionStatus: 'RCVD',
          paymentId: id,
          transactionFeeIndicator: false,
          ...asked,
          ...(warnings.length === 0 ? {} : { tppMessages: warnings }),
        },
      }
    })
  }

  const read: Handler = async (call) => {
    const payment = await findOwnPayment(bank, call)
    const account =
      payment.debtorAccountId === null
        ? undefined
        : (await bank.stores.accounts.byIds([payment.debtorAccountId]))[0]
    return ok({
      ...payment.body,
      // Debits the account that the PSU chose.
      ...(account === undefined
        ? {}
        : { debtorAccount: { iban: account.iban, currency: account.currency } }),
      transactionStatus: payment.status,
    })
  }

  const readStatus: Handler = async (call) => {
    const payment = await findOwnPayment(bank, call)
    const { status, fundsAvailable } = payment
    const paths = paymentPaths(call, payment)
    const isWaiting = fundsAvailable === false && status !== 'RJCT' && status !== 'CANC'
    return ok({
      transactionStatus: status,
      ...(fundsAvailable === null ? {} : { fundsAvailable }),
      psuMessage: paymentMessages[status],
      ...(isWaiting ? { tppMessage: [fundsMissing] } : {}),
      _links: resourceLinks(paths),
    })
  }

  /**
   * Cancels a payment at once if it is not approved. If it is approved and
   * cancellable, asks the PSU to approve the cancellation. Rejects any other.
   */
  const cancel: Handler = async (call) => {
    const { id } = await findOwnPayment(bank, call)
    const plan = planApproval(call, false)
    return bank.stores.transaction(async (stores) => {
      const parent = { kind: 'payment', id } as const
      const payment = await stores.payments.lock(id)
      const product = findPaymentProduct(payment?.product ?? '')
      const status = payment && product && withdrawn(product, payment.status)
      if (payment === undefined || status === undefined) {
        throw new BankError('CANCELLATION_INVALID', 'The payment can no longer be cancelled')
      }
      const paths = paymentPaths(call, payment)
      if (payment.status === 'RCVD') {
        await stores.authorisations.failOpen(parent)
        await stores.payments.update(id, { status, dueAt: null })
        return { status: 202, body: { transactionStatus: status, _links: resourceLinks(paths) } }
      }
      const psu = payment.psuId === null ? undefined : await stores.psus.find(payment.psuId)
      const ending = { parent, paths, plan, psu, state: { transactionStatus: payment.status } }
      return askToEnd(bank, stores, call, ending)
    })
  }

  return { initiate, read, readStatus, cancel }
}
