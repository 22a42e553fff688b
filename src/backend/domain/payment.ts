// This folder has the bank's rules as pure functions. Each life cycle is a table of transitions: `payment.ts`,
// `consent.ts`, `mandate.ts` and `authorisation.ts`, all read with `transitions.ts`. `access.ts` determines what a
// consent covers, `payment-products.ts` which payments exist, `settlement.ts` and `banking-days.ts` when money moves,
// `bank-time.ts` which day it is. Nothing here reads a clock, a table or a request: callers pass what a rule needs.

import type { EventOf, Transitions } from './transitions.ts'

/**
 * ```
 *  RCVD ─authorise→ ACTC ───────────────execute→ ACSP ─settle→ ACSC ─credit→ ACCC
 *   │                ├─postpone→ ACWC ─execute───↑
 *   │                └──────────fund┴→ ACFC ─────┘
 *   ├─refuse, reject→ RJCT ←─reject── every status until ACSP
 *   └─cancel────────→ CANC ←─cancel── every status until ACSP
 * ```
 */
const transitions = {
  RCVD: { authorise: 'ACTC', refuse: 'RJCT', reject: 'RJCT', cancel: 'CANC' },
  ACTC: { postpone: 'ACWC', fund: 'ACFC', execute: 'ACSP', reject: 'RJCT', cancel: 'CANC' },
  ACWC: { fund: 'ACFC', execute: 'ACSP', reject: 'RJCT', cancel: 'CANC' },
  ACFC: { execute: 'ACSP', reject: 'RJCT', cancel: 'CANC' },
  ACSP: { settle: 'ACSC', reject: 'RJCT', cancel: 'CANC' },
  ACSC: { credit: 'ACCC' },
  ACCC: {},
  RJCT: {},
  CANC: {},
} as const

/** ISO 20022 ExternalPaymentTransactionStatus, as far as this bank uses it (docs/bank.md, Payments). */
export type TransactionStatus = keyof typeof transitions

/**
 * - `authorise`: the PSU approved; `refuse`: the PSU refused, failed or let the time run out
 * - `postpone`: the payment begins later than requested
 * - `fund`: the funds suffice, before the day of execution
 * - `execute`: the payment goes into settlement; `settle`: the bank has booked it on the debtor's account
 * - `credit`: the creditor's bank has booked it, too
 * - `reject`: the bank rejects the payment (limit, funds, closed account); `cancel`: before settlement
 */
export type PaymentEvent = EventOf<typeof transitions>

/** The life cycle of a payment. */
export const paymentTransitions: Transitions<TransactionStatus, PaymentEvent> = transitions

/** The message for the PSU about each status; `psuMessage` of the status answer. */
export const paymentMessages: Readonly<Record<TransactionStatus, string>> = {
  RCVD: 'The payment waits for your approval',
  ACTC: 'The payment is approved and will be executed',
  ACFC: 'The payment is approved and covered, and will be executed',
  ACWC: 'The payment is approved and will be executed on the next banking day',
  ACSP: 'The payment is being executed',
  ACSC: 'Payment executed',
  ACCC: 'Payment executed and credited to the recipient',
  RJCT: 'The payment was rejected',
  CANC: 'The payment was cancelled',
}
