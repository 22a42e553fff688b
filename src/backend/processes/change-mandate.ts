import { onDay } from '../domain/bank-time.ts'
import type { MandateStatus } from '../domain/mandate.ts'
import { lockMandate, type MandateWork } from './lock-mandate.ts'
import { moveMandate } from './move-mandate.ts'

/** What happens to a mandate at the bank, without its creditor. */
export type MandateChange = 'suspend' | 'resume' | 'revoke'

/** A mandate that does not accept the change as it is now. */
export class MandateUnchangeable extends Error {
  /** Undefined: there is no such mandate. */
  readonly status: MandateStatus | undefined

  constructor(change: MandateChange, status: MandateStatus | undefined) {
    super(
      status === undefined
        ? 'no mandate has this identifier'
        : `a mandate that is ${status} does not take ${change}`,
    )
    this.name = 'MandateUnchangeable'
    this.status = status
  }
}

/**
 * Suspends or resumes a mandate for the bank, or revokes it for the debtor.
 * Revoking ends it (MD16), together with a cancellation that waits for approval.
 *
 * @param id `mandateResourceId` of the interface
 * @returns the new status
 * @throws {MandateUnchangeable} when there is no such mandate, or its state does not accept that
 */
export async function changeMandate(
  work: MandateWork,
  id: string,
  change: MandateChange,
): Promise<MandateStatus> {
  const { bank, stores, now } = work
  const mandate = await lockMandate(work, id)
  const status = mandate && (await moveMandate(stores, mandate, change, onDay(now, bank.timeZone)))
  if (status === undefined) throw new MandateUnchangeable(change, mandate?.status)
  return status
}
