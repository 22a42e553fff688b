import type { Bank } from '../bank.ts'
import { type BankAnswer, type BankCall, type Handler, ok, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { hasRunOut, isDecided, type ScaStatus } from '../domain/authorisation.ts'
import { isUuid } from '../domain/identifiers.ts'
import { authorisationLinks, linksTo, type ResourcePaths } from '../links.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import type { Authorisation, Parent } from '../stores/authorisations.ts'
import { consentPaths, findOwnConsent } from './consents.ts'
import { findOwnPayment, paymentPaths } from './payments.ts'
import { update } from './update-authorisation.ts'

/** The message for the PSU in each state of the approval. */
const messages: Readonly<Record<ScaStatus, string>> = {
  received: 'Please identify yourself',
  psuIdentified: 'Please approve',
  psuAuthenticated: 'Please choose how to get the code',
  scaMethodSelected: 'Please enter the code that was sent to you',
  started: 'Please approve at the bank',
  unconfirmed: 'You have approved; the service provider has to confirm it',
  finalised: 'You have approved',
  failed: 'The approval failed',
  exempted: 'No approval is necessary',
}

/** A parent of the calling TPP, in the version of the call. */
interface OwnParent {
  readonly parent: Parent
  readonly paths: ResourcePaths
  /** Whether the version can read the authorisation. */
  readonly isReadable: boolean
}

/** Handlers of the authorisations of payments and consents (docs/bank.md, Approval). */
export function createAuthorisationHandlers(bank: Bank) {
  async function ofPayment(call: BankCall): Promise<OwnParent> {
    const payment = await findOwnPayment(bank, call)
    return {
      parent: { kind: 'payment', id: payment.id },
      paths: paymentPaths(call, payment),
      isReadable: call.offers.has('getPaymentAuthorisation'),
    }
  }

  async function ofConsent(call: BankCall): Promise<OwnParent> {
    const { id } = await findOwnConsent(bank, call)
    return {
      parent: { kind: 'consent', id },
      paths: consentPaths(call, id),
      isReadable: call.offers.has('getConsentAuthorisation'),
    }
  }

  function reading(find: (call: BankCall) => Promise<OwnParent>): Handler {
    return async (call) => {
      const { parent, paths, isReadable } = await find(call)
      const authorisation = await findOwn(bank.stores, call, parent)
      const { status, psuId } = authorisation
      const psu = psuId === null ? undefined : await bank.stores.psus.find(psuId)
      const links = authorisationLinks(authorisation, {
        paths,
        scaPublicUrl: bank.scaPublicUrl,
        isReadable,
        isUpdatable: true,
        needsConfirmation: psu?.behaviour === 'confirmation',
      })
      return ok({
        scaStatus: status,
        ...(psu === undefined || !hasGivenPassword(authorisation) ? {} : { psuName: psu.name }),
        psuMessage: messages[status],
        _links: { ...links, ...linksTo({ status: paths.status }) },
      })
    }
  }

  function updating(find: (call: BankCall) => Promise<OwnParent>): Handler {
    return async (call) => {
      const { parent, paths, isReadable } = await find(call)
      // `update` returns a refusal instead of throwing it, because a rollback would undo the count of wrong passwords.
      const outcome = await bank.stores.transaction(async (stores) => {
        const found = await findOwn(stores, call, parent)
        const locked = await lockAuthorisation({ bank, stores, now: call.now }, found)
        if (isDecided(locked.authorisation)) return decided(locked.authorisation, call)
        const step = await update(locked, call)
        if (step instanceof BankError) return step
        const { status, approach } = step.authorisation
        const links = authorisationLinks(step.authorisation, {
          paths,
          scaPublicUrl: bank.scaPublicUrl,
          isReadable,
          isUpdatable: true,
          needsConfirmation: false,
        })
        const isFinal = isDecided(step.authorisation)
        return {
          status: 200,
          headers: { 'aspsp-sca-approach': approach },
          body: {
            scaStatus: status,
            psuMessage: messages[status],
            ...step.extras,
            _links: {
              ...links,
              // If the version cannot read the authorisation, its parent shows the outcome.
              ...(isFinal || !isReadable ? linksTo({ status: paths.status }) : {}),
            },
          },
        } satisfies BankAnswer
      })
      if (outcome instanceof BankError) throw outcome
      return outcome
    }
  }

  return {
    readOfPayment: reading(ofPayment),
    readOfConsent: reading(ofConsent),
    updateOfPayment: updating(ofPayment),
    updateOfConsent: updating(ofConsent),
  }
}

/**
 * Whether the PSU has signed in with a password. Without this check, a request
 * for a consent would reveal the name behind a national id. An approval on a
 * device needs no password, unless one came before the choice of that method.
 */
function hasGivenPassword({ approach, methodId, status }: Authorisation): boolean {
  if (approach === 'DECOUPLED' && methodId === null) return false
  return status !== 'received' && status !== 'psuIdentified' && status !== 'failed'
}

/** Finds an authorisation of a resource. Rejects one of another resource, and one of a cancellation, which has no path. */
async function findOwn(
  { authorisations }: Pick<Bank['stores'], 'authorisations'>,
  call: BankCall,
  parent: Parent,
): Promise<Authorisation> {
  const id = pathParameter(call, 'authorisationId')
  const found = isUuid(id) ? await authorisations.find(id) : undefined
  const parentId = parent.kind === 'payment' ? found?.paymentId : found?.consentId
  if (found?.purpose !== 'creation' || parentId !== parent.id) {
    const text = 'No authorisation here has this identifier'
    throw new BankError('RESOURCE_UNKNOWN', text, { status: 403 })
  }
  return found
}

function decided(authorisation: Authorisation, { body, now }: BankCall): BankError {
  const { status } = authorisation
  if (status === 'failed' && hasRunOut(authorisation, now)) {
    return new BankError('RESOURCE_EXPIRED', 'The time to approve is over')
  }
  if (status === 'failed' && body?.['confirmationCode'] !== undefined) {
    return new BankError('SCA_INVALID', 'There is nothing to confirm: the approval failed')
  }
  return new BankError('STATUS_INVALID', `The authorisation is ${status} already`)
}
