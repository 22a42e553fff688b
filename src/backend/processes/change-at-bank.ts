import { type BankChange, bankChanges } from '../domain/bank-change.ts'
import { onDay } from '../domain/bank-time.ts'
import { type ConsentStatus, consentTransitions } from '../domain/consent.ts'
import { isUuid } from '../domain/identifiers.ts'
import { type MandateStatus, mandateTransitions } from '../domain/mandate.ts'
import { after } from '../domain/transitions.ts'
import type { BankWork } from './bank-work.ts'
import { lockConsent, lockMandate } from './lock-resource.ts'
import { moveMandate } from './move-mandate.ts'

/** The consent or mandate does not exist, or its status does not accept the change. */
export class Unchangeable extends Error {
  readonly kind: 'consent' | 'mandate'
  /** Undefined: it does not exist. */
  readonly status: ConsentStatus | MandateStatus | undefined
  /** The changes that its status accepts. */
  readonly possible: readonly BankChange[]

  constructor(
    kind: 'consent' | 'mandate',
    status: ConsentStatus | MandateStatus | undefined,
    events: object = {},
  ) {
    super(status === undefined ? `no ${kind} has this identifier` : `the ${kind} is ${status}`)
    this.name = 'Unchangeable'
    this.kind = kind
    this.status = status
    this.possible = bankChanges.filter((change) => Object.hasOwn(events, change))
  }
}

/**
 * Suspends or resumes a consent for the bank, or revokes it for its PSU.
 *
 * @param id `consentId` of the interface
 * @returns the new status
 * @throws {Unchangeable}
 */
export async function changeConsent(
  work: BankWork,
  id: string,
  change: BankChange,
): Promise<ConsentStatus> {
  const { bank, stores, now } = work
  if (!isUuid(id)) throw new Unchangeable('consent', undefined)
  const consent = await lockConsent(work, id)
  if (consent === undefined) throw new Unchangeable('consent', undefined)
  const status = after(consentTransitions, consent.status, change)
  if (status === undefined) {
    throw new Unchangeable('consent', consent.status, consentTransitions[consent.status])
  }
  await stores.consents.update(id, { status, lastActionDay: onDay(now, bank.timeZone) })
  return status
}

/**
 * Suspends or resumes a mandate for the bank, or revokes it for the debtor.
 * A revocation (MD16) also ends a cancellation that waits for approval.
 *
 * @param id `mandateResourceId` of the interface
 * @returns the new status
 * @throws {Unchangeable}
 */
export async function changeMandate(
  work: BankWork,
  id: string,
  change: BankChange,
): Promise<MandateStatus> {
  const { bank, stores, now } = work
  if (!isUuid(id)) throw new Unchangeable('mandate', undefined)
  const mandate = await lockMandate(work, id)
  if (mandate === undefined) throw new Unchangeable('mandate', undefined)
  const status = await moveMandate(stores, mandate, change, onDay(now, bank.timeZone))
  if (status === undefined) {
    throw new Unchangeable('mandate', mandate.status, mandateTransitions[mandate.status])
  }
  return status
}
