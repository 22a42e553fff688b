import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { type ConsentStatus, consentTransitions } from '../domain/consent.ts'
import { isUuid } from '../domain/identifiers.ts'
import { after } from '../domain/transitions.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Clockwork } from './clockwork.ts'

/** What happens to a consent at the bank, without its TPP. */
export type ConsentChange = 'suspend' | 'resume' | 'revoke'

/** A consent that does not accept the change as it is now. */
export class ConsentUnchangeable extends Error {
  /** Undefined: there is no such consent. */
  readonly status: ConsentStatus | undefined

  constructor(change: ConsentChange, status: ConsentStatus | undefined) {
    super(
      status === undefined
        ? 'no consent has this identifier'
        : `a consent that is ${status} does not take ${change}`,
    )
    this.name = 'ConsentUnchangeable'
    this.status = status
  }
}

/** What the bank works with, all of it in the transaction of `stores`. */
export interface ConsentWork {
  readonly bank: Pick<Bank, 'timeZone'>
  readonly clockwork: Pick<Clockwork, 'lock'>
  readonly stores: Stores
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Suspends or resumes a consent for the bank, or revokes it for its PSU.
 *
 * @param id `consentId` of the interface
 * @returns the new status
 * @throws {ConsentUnchangeable} when there is no such consent, or its state does not accept that
 */
export async function changeConsent(
  { bank, clockwork, stores, now }: ConsentWork,
  id: string,
  change: ConsentChange,
): Promise<ConsentStatus> {
  if (!isUuid(id)) throw new ConsentUnchangeable(change, undefined)
  await clockwork.lock(stores, { kind: 'consent', id }, now)
  const consent = await stores.consents.find(id)
  const status = consent && after(consentTransitions, consent.status, change)
  if (status === undefined) throw new ConsentUnchangeable(change, consent?.status)
  await stores.consents.update(id, { status, lastActionDay: onDay(now, bank.timeZone) })
  return status
}
