import type { Bank } from '../bank.ts'
import type { Stores } from '../stores/bank-stores.ts'

/** What the bank's own processes work with, always in the transaction of `stores`. */
export interface BankWork {
  readonly bank: Pick<Bank, 'timeZone'>
  readonly stores: Stores
  /** Milliseconds since 1970. */
  readonly now: number
}

/** {@link BankWork} that writes entries. */
export interface BookingWork extends BankWork {
  readonly bank: Pick<Bank, 'randomUUID' | 'timeZone'>
}
