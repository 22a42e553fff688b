import { assertFound } from '../assert-found.ts'
import { type Authorisation, type Parent, parentOf } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import { type LockTime, lockConsent, lockMandate } from './lock-resource.ts'

/** The resource that an authorisation approves, as it is under the lock. */
export type LockedParent =
  | { readonly kind: 'payment'; readonly resource: Payment }
  | { readonly kind: 'consent'; readonly resource: Consent }
  | { readonly kind: 'mandate'; readonly resource: Mandate }

const isLocked = Symbol('locked')

/** An authorisation and its parent, locked until the transaction ends. Only {@link lockAuthorisation} creates one. */
export interface LockedAuthorisation {
  readonly authorisation: Authorisation
  readonly parent: LockedParent
  readonly [isLocked]: true
}

/**
 * Locks an authorisation and its parent until the transaction ends, and reads
 * both under the lock. The lock is that of the parent's row: it orders all changes
 * of the parent and its authorisations. If the time of the parent is over, stores
 * that it has ended.
 *
 * @param found the authorisation as read before the lock; its parent never changes
 */
export async function lockAuthorisation(
  stores: Stores,
  found: Authorisation,
  time: LockTime,
): Promise<LockedAuthorisation> {
  const parent = await lockParent(stores, parentOf(found), time)
  const authorisation = assertFound(await stores.authorisations.find(found.id))
  return { authorisation, parent, [isLocked]: true }
}

async function lockParent(
  stores: Stores,
  { kind, id }: Parent,
  time: LockTime,
): Promise<LockedParent> {
  switch (kind) {
    case 'payment':
      return { kind, resource: assertFound(await stores.payments.lock(id)) }
    case 'consent':
      return { kind, resource: assertFound(await lockConsent(stores, id, time)) }
    case 'mandate':
      return { kind, resource: assertFound(await lockMandate(stores, id, time)) }
  }
}
