import { onDay } from '../domain/bank-time.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { PaymentProduct } from '../domain/payment-products.ts'
import { planSettlement } from '../domain/settlement.ts'

/** Warnings about an accepted payment. */
export function warningsOf(
  body: PaymentInitiation,
  product: PaymentProduct,
  now: number,
  timeZone: string,
): Warning[] {
  const { isPostponed, executeAt } = planSettlement(product, body, now, timeZone)
  return isPostponed ? [warning(`Execution begins on ${onDay(executeAt, timeZone)}`)] : []
}

/** An entry of `tppMessages` (POST) or `tppMessage` (status) in a successful answer; the documents publish both names. */
export interface Warning {
  readonly category: 'WARNING'
  readonly code: 'WARNING' | 'FUNDS_NOT_AVAILABLE'
  readonly text: string
}

function warning(text: string): Warning {
  return { category: 'WARNING', code: 'WARNING', text }
}

/** For a status while settlement waits for funds. */
export const fundsMissing: Warning = {
  category: 'WARNING',
  code: 'FUNDS_NOT_AVAILABLE',
  text: 'The funds did not suffice; settlement will be tried again',
}
