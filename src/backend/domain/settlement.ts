import { addDays, instantOf, onDay, timeOnDay } from './bank-time.ts'
import { bankingDayFrom, type Market } from './banking-days.ts'
import type { PaymentProduct } from './payment-products.ts'

/** Hours of the bank (all our choice): gross settlement is open between the first two; batches settle at the window. */
const opening = 8
const closing = 17
const batchWindow = 18
/** The hour at which payments with a requested date go into settlement. */
const executionHour = 6

/** Maximum number of settlement attempts without funds; then the bank rejects the payment. */
export const settlementsMost = 3
/** Milliseconds until the creditor's bank confirms that it has booked a payment. */
export const creditMs = 30_000

/** The time that a payment may request; absent: as soon as possible. */
export interface RequestedExecution {
  /** A day of the bank. */
  readonly requestedExecutionDate?: string
  /** RFC 3339. */
  readonly requestedExecutionTime?: string
}

/** The times of an approved payment, in milliseconds since 1970. */
export interface SettlementPlan {
  /** Whether the payment begins later than requested: not a banking day, or outside the hours. */
  readonly isPostponed: boolean
  /** The check of funds: at the beginning of its day, or with the execution. */
  readonly fundsAt: number
  /** The start of settlement. */
  readonly executeAt: number
  /** The booking. */
  readonly settleAt: number
}

/**
 * Plans the settlement of a payment approved at `approvedAt` (milliseconds
 * since 1970). Our choice: the bank books an instant payment within two seconds on
 * every day; a gross one within a minute, from 8 to 17 on banking days; a batch
 * one at the next 18:00 of a banking day. A payment for a later day begins at
 * 06:00 on that day, or on the next banking day.
 *
 * Example: `masav`, approved Monday 10:00, is ACSP from 10:00:01 and ACSC from 18:00.
 */
export function planSettlement(
  product: PaymentProduct,
  requested: RequestedExecution,
  approvedAt: number,
  timeZone: string,
): SettlementPlan {
  const { start: wanted, isPostponed } = requestedStart(product, requested, approvedAt, timeZone)
  const start = product.settlement === 'gross' ? openFrom(wanted, product.market, timeZone) : wanted
  const executeAt = start + 1000
  const midnight = timeOnDay(onDay(start, timeZone), 0, timeZone)
  return {
    isPostponed: isPostponed || start > wanted,
    fundsAt: midnight > approvedAt ? midnight : executeAt,
    executeAt,
    settleAt: settlementFrom(product, start, timeZone),
  }
}

/** The time of the next attempt after one without funds; undefined for an instant payment, which has only one. */
export function nextAttempt(
  product: PaymentProduct,
  failedAt: number,
  timeZone: string,
): number | undefined {
  switch (product.settlement) {
    case 'instant':
      return undefined
    case 'gross':
      return openFrom(failedAt + 3_600_000, product.market, timeZone)
    case 'batch':
      return windowAfter(failedAt, product.market, timeZone)
  }
}

function requestedStart(
  { settlement, market }: PaymentProduct,
  { requestedExecutionDate: day, requestedExecutionTime: time }: RequestedExecution,
  approvedAt: number,
  timeZone: string,
): { readonly start: number; readonly isPostponed: boolean } {
  if (time !== undefined) {
    return { start: Math.max(approvedAt, instantOf(time) ?? approvedAt), isPostponed: false }
  }
  if (day === undefined || day <= onDay(approvedAt, timeZone)) {
    return { start: approvedAt, isPostponed: false }
  }
  const possible = settlement === 'instant' ? day : bankingDayFrom(day, market)
  return { start: timeOnDay(possible, executionHour, timeZone), isPostponed: possible !== day }
}

function settlementFrom(
  { settlement, market }: PaymentProduct,
  start: number,
  timeZone: string,
): number {
  switch (settlement) {
    case 'instant':
      return start + 2000
    case 'gross':
      return start + 60_000
    case 'batch':
      return windowAfter(start, market, timeZone)
  }
}

/** The instant itself while gross settlement is open, else its next opening. */
function openFrom(instant: number, market: Market, timeZone: string): number {
  const day = onDay(instant, timeZone)
  const isOver = instant >= timeOnDay(day, closing, timeZone)
  const openDay = bankingDayFrom(isOver ? addDays(day, 1) : day, market)
  return Math.max(instant, timeOnDay(openDay, opening, timeZone))
}

/** The first window of a banking day strictly after the instant: 18:00 itself counts for the next window. */
function windowAfter(instant: number, market: Market, timeZone: string): number {
  const day = onDay(instant, timeZone)
  const isMissed = instant >= timeOnDay(day, batchWindow, timeZone)
  return timeOnDay(bankingDayFrom(isMissed ? addDays(day, 1) : day, market), batchWindow, timeZone)
}
