import { addDays, instantOf, onDay, timeOnDay } from './bank-time.ts'
import { bankingDayFrom, type Market } from './banking-days.ts'
import type { PaymentProduct } from './payment-products.ts'

/** Hours of the bank (all our choice): gross settlement is open from one to the other, batches settle at their window. */
const opening = 8
const closing = 17
const batchWindow = 18
/** A day's dated payments are taken into settlement then. */
const executionHour = 6

/** Settlements without funds after which a payment is rejected. */
export const settlementsMost = 3
/** Milliseconds until the creditor's bank confirms that it has booked a payment. */
export const creditMs = 30_000

/** What a payment may ask for beside "as soon as possible". */
export interface RequestedExecution {
  /** A day of the bank. */
  readonly requestedExecutionDate?: string
  /** RFC 3339. */
  readonly requestedExecutionTime?: string
}

/** When an approved payment does what; milliseconds since 1970. */
export interface SettlementPlan {
  /** It begins later than it was asked to: no banking day, or outside the hours. */
  readonly isPostponed: boolean
  /** Its funds are looked at: when its day begins, or with the execution. */
  readonly fundsAt: number
  /** It is taken into settlement. */
  readonly executeAt: number
  /** It is booked. */
  readonly settleAt: number
}

/**
 * Plans the settlement of a payment approved at `approvedAt` (milliseconds
 * since 1970). Our choice: an instant payment is booked within two seconds on
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

/** When settlement is tried again after the funds were missing; undefined: an instant payment does not wait. */
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

/** The instant itself while gross settlement is open, else when it opens next. */
function openFrom(instant: number, market: Market, timeZone: string): number {
  const day = onDay(instant, timeZone)
  const isOver = instant >= timeOnDay(day, closing, timeZone)
  const openDay = bankingDayFrom(isOver ? addDays(day, 1) : day, market)
  return Math.max(instant, timeOnDay(openDay, opening, timeZone))
}

/** The first window of a banking day strictly after the instant: who comes at 18:00 sharp has missed it. */
function windowAfter(instant: number, market: Market, timeZone: string): number {
  const day = onDay(instant, timeZone)
  const isMissed = instant >= timeOnDay(day, batchWindow, timeZone)
  return timeOnDay(bankingDayFrom(isMissed ? addDays(day, 1) : day, market), batchWindow, timeZone)
}
