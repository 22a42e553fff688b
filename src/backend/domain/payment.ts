import { onDay, timeOnDay } from './bank-time.ts'
import type { PaymentProduct } from './payment-products.ts'
import type { Transitions } from './transitions.ts'

/** ISO 20022 ExternalPaymentTransactionStatus, as far as this bank uses it (docs/bank.md, Payments). */
export type TransactionStatus = 'RCVD' | 'ACTC' | 'ACSP' | 'ACSC' | 'RJCT' | 'CANC'

/**
 * - `authorise`: the PSU approved; `refuse`: refused, failed or let it run out
 * - `execute`: the bank takes it into settlement; `settle`: booked on the debtor's account
 * - `reject`: the bank refuses it (limit, funds); `cancel`: withdrawn before settlement
 */
export type PaymentEvent = 'authorise' | 'refuse' | 'execute' | 'settle' | 'reject' | 'cancel'

/**
 * ```
 * RCVD ─authorise→ ACTC ─execute→ ACSP ─settle→ ACSC
 *   ├─refuse→ RJCT   └────reject────┴──→ RJCT
 *   └─cancel→ CANC   └────cancel────┴──→ CANC
 * ```
 */
export const paymentTransitions: Transitions<TransactionStatus, PaymentEvent> = {
  RCVD: { authorise: 'ACTC', refuse: 'RJCT', cancel: 'CANC' },
  ACTC: { execute: 'ACSP', reject: 'RJCT', cancel: 'CANC' },
  ACSP: { settle: 'ACSC', reject: 'RJCT', cancel: 'CANC' },
  ACSC: {},
  RJCT: {},
  CANC: {},
}

/** What a PSU is told about each status; `psuMessage` of the status answer. */
export const paymentMessages: Readonly<Record<TransactionStatus, string>> = {
  RCVD: 'The payment waits for your approval',
  ACTC: 'The payment is approved and will be executed',
  ACSP: 'The payment is being executed',
  ACSC: 'Payment executed',
  RJCT: 'The payment was rejected',
  CANC: 'The payment was cancelled',
}

/** When an approved payment is taken into settlement, and when it is booked. */
export interface Settlement {
  readonly executeAt: number
  readonly settleAt: number
}

/**
 * Plans the settlement of a payment approved at `approvedAt` (milliseconds since
 * 1970). Our choice: an instant payment is booked within two seconds, a real-time
 * gross one within a minute, a batch one at the next 18:00 of the bank. Nothing
 * begins before `notBefore`, if there is one.
 *
 * Example: `masav`, approved Monday 10:00, is ACSP from 10:00:01 and ACSC from 18:00.
 */
export function planSettlement(
  product: PaymentProduct,
  approvedAt: number,
  notBefore: number | undefined,
  timeZone: string,
): Settlement {
  const start = Math.max(approvedAt, notBefore ?? approvedAt)
  const executeAt = start + 1000
  switch (product.settlement) {
    case 'instant':
      return { executeAt, settleAt: start + 2000 }
    case 'gross':
      return { executeAt, settleAt: start + 60_000 }
    case 'batch': {
      const window = timeOnDay(onDay(start, timeZone), 18, timeZone)
      // Strictly later than the start: who approves at 18:00 sharp has missed the window.
      const nextDay = onDay(window + 86_400_000, timeZone)
      return { executeAt, settleAt: window > start ? window : timeOnDay(nextDay, 18, timeZone) }
    }
  }
}
