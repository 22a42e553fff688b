import { assertFound } from '../assert-found.ts'
import { type Authorisation, type Parent, parentOf } from '../stores/authorisations.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import type { BankWork } from './bank-work.ts'
import { lockConsent, lockMandate } from './lock-resource.ts'

/** The resource that an authorisation approves, as read under the lock. */
type LockedParent =
  | { readonly kind: 'payment'; readonly resource: Payment }
  | { readonly kind: 'consent'; readonly resource: Consent }
  | { readonly kind: 'mandate'; readonly resource: Mandate }

const isLocked = Symbol('locked')

/**
 * An authorisation and its parent, locked until the transaction ends. Only
 * {@link lockAuthorisation} creates one, so a function that takes it cannot run
 * before the lock.
 */
export interface LockedAuthorisation extends BankWork {
  readonly authorisation: Authorisation
  readonly parent: LockedParent
  readonly [isLocked]: true
}

/**
 * Locks an authorisation and its parent until the transaction ends, and reads
 * both under the lock. It locks the parent's row, as every change of the parent
 * or of one of its authorisations does. If the parent has expired, it stores that.
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
