import { assertFound } from '../assert-found.ts'
import { type Authorisation, type Parent, parentOf } from '../stores/authorisations.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import type { BankWork } from './bank-work.ts'
import { lockConsent, lockMandate } from './lock-resource.ts'

/** The resource that an authorisation approves, as it is under the lock. */
type LockedParent =
  | { readonly kind: 'payment'; readonly resource: Payment }
  | { readonly kind: 'consent'; readonly resource: Consent }
  | { readonly kind: 'mandate'; readonly resource: Mandate }

const isLocked = Symbol('locked')

/**
 * An authorisation and its parent, locked until the transaction ends. The type
 * begins with {@link lockAuthorisation}; copies of its result keep it. So a
 * function that takes it cannot be called before the lock.
 */
export interface LockedAuthorisation extends BankWork {
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
export async function lockAuthorisation<Work extends BankWork>(
  work: Work,
  found: Authorisation,
): Promise<Work & LockedAuthorisation> {
  const parent = await lockParent(work, parentOf(found))
  const authorisation = assertFound(await work.stores.authorisations.find(found.id))
  return { ...work, authorisation, parent, [isLocked]: true }
}

async function lockParent(work: BankWork, { kind, id }: Parent): Promise<LockedParent> {
  switch (kind) {
    case 'payment':
      return { kind, resource: assertFound(await work.stores.payments.lock(id)) }
    case 'consent':
      return { kind, resource: assertFound(await lockConsent(work, id)) }
    case 'mandate':
      return { kind, resource: assertFound(await lockMandate(work, id)) }
  }
}
