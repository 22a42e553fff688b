import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.ts'
import { assertFound } from '../assert-found.ts'
import { addMonths, onDay } from '../domain/bank-time.ts'
import { frequencyPerDayMost } from '../domain/consent.ts'
import { decide } from '../processes/decide.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import { openAuthorisation } from '../processes/open-authorisation.ts'
import { createBankStores } from '../stores/bank-stores.ts'

export interface SeededConsentOptions {
  readonly database: Database
  readonly applicationId: string
  /** The customer who approves. (Default: Noa Levi) */
  readonly psuId?: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** (Default: Asia/Jerusalem) */
  readonly timeZone?: string
}

/** Noa Levi, the customer of the demonstration. */
export const demonstrationPsu = '305567661'

/**
 * Creates a valid consent for an application to all accounts of a customer, by
 * the steps of the interface: request, authorisation, approval. The sandbox must
 * be seeded.
 *
 * @returns the consentId
 */
export async function createSeededConsent(options: SeededConsentOptions): Promise<string> {
  const { database, applicationId, psuId = demonstrationPsu } = options
  const { timeZone = 'Asia/Jerusalem' } = options
  const now = options.now()
  const today = onDay(now, timeZone)
  const id = randomUUID()
  await createBankStores(database).transaction(async (stores) => {
    const psu = await stores.psus.find(psuId)
    if (psu === undefined) throw new Error('the sandbox is not seeded')
    await stores.consents.insert({
      id,
      applicationId,
      psuId: psu.id,
      access: JSON.stringify({ allPsd2: 'allAccounts' }),
      recurring: true,
      validUntil: addMonths(today, 12),
      frequencyPerDay: frequencyPerDayMost,
      status: 'received',
      lastActionDay: today,
      firstUsedAt: null,
      createdAt: new Date(now),
    })
    const opened = await openAuthorisation({ randomUUID }, stores, {
      parent: { kind: 'consent', id },
      purpose: 'creation',
      plan: { approach: 'DECOUPLED', redirectUri: undefined, nokRedirectUri: undefined },
      psu,
      now,
    })
    const found = assertFound(await stores.authorisations.find(opened.id))
    const locked = await lockAuthorisation({ bank: { timeZone }, stores, now }, found)
    await decide(locked, { approved: true, psu })
  })
  return id
}
