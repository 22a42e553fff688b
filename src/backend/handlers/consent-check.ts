import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import type { Grant, Right } from '../domain/access.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import type { ConsentWithRights } from '../stores/consents.ts'
import { ended } from './consents.ts'

/** The checks of a read of data, in the order of docs/bank.md, Consents. */
export function createConsentCheck(bank: Bank, clockwork: Clockwork) {
  const { consents } = bank.stores

  /** The consent as it is at `now`; a second look is needed only where time has changed it. */
  async function current(
    id: string,
    kind: Grant['kind'],
    now: number,
  ): Promise<ConsentWithRights | undefined> {
    const found = await consents.findWithRights(id, kind, new Date(now))
    if (found === undefined) return undefined
    // A newer consent that was approved by now has ended this one.
    if (!found.isDue && clockwork.isConsentSettled(found.consent, now)) return found
    await clockwork.consent(id, now)
    return consents.findWithRights(id, kind, new Date(now))
  }

  return {
    /** The consent named in the header, which must be the TPP's own and valid. */
    async find(call: BankCall, kind: Grant['kind']): Promise<ConsentWithRights> {
      const id = textOf(call.headers['consent-id'])
      if (id === undefined) throw formatError('Consent-ID', 'Must be sent')
      const found = isUuid(id) ? await current(id, kind, call.now) : undefined
      if (found?.consent.applicationId !== call.applicationId) {
        throw new BankError('CONSENT_UNKNOWN', [
          { path: 'Consent-ID', text: 'No consent has this identifier' },
        ])
      }
      if (found.consent.status !== 'valid') throw ended(found.consent)
      return found
    },

    /** Refuses a resource that the consent does not cover, or not with this right. */
    cover({ rights }: ConsentWithRights, resourceId: string, right: Right): ReadonlySet<Right> {
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
      { consent }: ConsentWithRights,
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
