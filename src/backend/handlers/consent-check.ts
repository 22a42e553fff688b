import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import type { Grant, Right } from '../domain/access.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import type { Consent } from '../stores/consents.ts'
import { ended } from './consents.ts'

/** A valid consent and what it grants on resources of one kind. */
export interface ConsentInUse {
  readonly consent: Consent
  readonly rights: ReadonlyMap<string, ReadonlySet<Right>>
}

/** The checks of a read of data, in the order of docs/bank.md, Consents. */
export function createConsentCheck(bank: Bank, clockwork: Clockwork) {
  return {
    /** The consent named in the header, which must be the TPP's own and valid. */
    async find(call: BankCall, kind: Grant['kind']): Promise<ConsentInUse> {
      const id = textOf(call.headers['consent-id'])
      if (id === undefined) throw formatError('Consent-ID', 'Must be sent')
      const consent = isUuid(id) ? await clockwork.consent(id, call.now) : undefined
      if (consent?.applicationId !== call.applicationId) {
        throw new BankError('CONSENT_UNKNOWN', [
          { path: 'Consent-ID', text: 'No consent has this identifier' },
        ])
      }
      if (consent.status !== 'valid') throw ended(consent)
      return { consent, rights: await bank.stores.consents.rights(consent.id, kind) }
    },

    /** Refuses a resource that the consent does not cover, or not with this right. */
    cover({ rights }: ConsentInUse, resourceId: string, right: Right): ReadonlySet<Right> {
      const granted = rights.get(resourceId)
      if (granted === undefined) {
        throw new BankError('RESOURCE_UNKNOWN', 'No account with this identifier is covered')
      }
      if (!granted.has(right)) throw lacking(right)
      return granted
    },

    /**
     * Counts a read, last of all: reads without the PSU by frequencyPerDay, and
     * every read of a one-off consent (our choice). The first one starts
     * the clock of a one-off consent. Of a list each page is counted by itself,
     * so that who follows its links has read it once.
     */
    async count(
      call: BankCall,
      { consent }: ConsentInUse,
      resource: string,
      pageIndex = 0,
    ): Promise<void> {
      const isPsuPresent = call.headers['psu-ip-address'] !== undefined
      if (!consent.recurring || !isPsuPresent) {
        const day = onDay(call.now, bank.timeZone)
        const target = pageIndex === 0 ? resource : `${resource} page ${pageIndex}`
        const most = consent.frequencyPerDay
        if (!(await bank.stores.consents.use(consent.id, { day, target, most }))) {
          throw new BankError('ACCESS_EXCEEDED', `The consent allows this ${most} time(s) a day`)
        }
      }
      if (!consent.recurring && consent.firstUsedAt === null) {
        await bank.stores.consents.markUsed(consent.id, new Date(call.now))
      }
    },
  }
}

/** The refusal of a read that the consent does not include. */
export function lacking(right: Right): BankError {
  const what = right === 'listBalances' ? 'balances' : right
  return new BankError('CONSENT_INVALID', `The consent does not include: ${what}`)
}
