import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import type { Grant, Right } from '../domain/access.ts'
import { onDay } from '../domain/bank-time.ts'
import { consentAt } from '../domain/consent.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Consent, ConsentWithRights } from '../stores/consents.ts'
import { checkUsable, unknownConsent } from './consents.ts'

/** The checks of a read of data, in the order of docs/bank.md, Consents. */
export function createConsentCheck(bank: Bank) {
  return {
    /** The consent named in the header; it must belong to the TPP and be valid. */
    async find(call: BankCall, kind: Grant['kind']): Promise<ConsentWithRights> {
      const id = textOf(call.headers['consent-id'])
      if (id === undefined) throw formatError('Consent-ID', 'Must be sent')
      const found = isUuid(id) ? await bank.stores.consents.findWithRights(id, kind) : undefined
      if (found?.consent.applicationId !== call.applicationId) {
        throw new BankError('CONSENT_UNKNOWN', [{ path: 'Consent-ID', text: unknownConsent }])
      }
      const consent = consentAt(found.consent, call.now, bank.timeZone)
      checkUsable(call, consent)
      return found
    },

    /** Rejects a resource that the consent does not cover with this right. */
    cover({ rights }: ConsentWithRights, resourceId: string, right: Right): ReadonlySet<Right> {
      const granted = rights.get(resourceId)
      if (granted === undefined) {
        throw new BankError('RESOURCE_UNKNOWN', 'No account with this identifier is covered')
      }
      if (!granted.has(right)) throw lacking(right)
      return granted
    },

    /**
     * Counts a read, as the last check. A recurring consent allows each read without
     * the PSU `frequencyPerDay` times a day. Each page of a list has its own
     * count, so a TPP that follows the links has read the list once. The first
     * read starts the two hours of a one-off consent, which has no other limit.
     */
    async count(
      call: BankCall,
      { consent }: ConsentWithRights,
      resource: string,
      pageIndex = 0,
    ): Promise<void> {
      if (consent.recurring && call.headers['psu-ip-address'] === undefined) {
        await countUnattended(
          call,
          consent,
          pageIndex === 0 ? resource : `${resource} page ${pageIndex}`,
        )
      }
      if (consent.firstUsedAt !== null) return
      await bank.stores.consents.markUsed(consent.id, new Date(call.now))
    },
  }

  /** @throws {BankError} ACCESS_EXCEEDED */
  async function countUnattended(call: BankCall, consent: Consent, target: string): Promise<void> {
    const day = onDay(call.now, bank.timeZone)
    const most = consent.frequencyPerDay
    if (await bank.stores.consents.use(consent.id, { day, target, most })) return
    const times = most === 1 ? 'once' : `${most} times`
    const text = `Without the customer, the consent allows this read ${times} a day. While the customer is present, send PSU-IP-Address: such reads do not count`
    throw new BankError('ACCESS_EXCEEDED', text)
  }
}

/** The error for a read that the consent does not include. */
export function lacking(right: Right): BankError {
  const what = right === 'listBalances' ? 'balances' : right
  return new BankError('CONSENT_INVALID', `The consent does not include: ${what}`)
}
