import type { TestBank } from './bank.ts'

/** Noa Levi of the sandbox. */
const noa = '305567661'

/** What {@link askConsent} changes in its request: members of the body, and who is asked. */
export interface ConsentChange {
  readonly psuId?: string
  /** (Default: that of the bank) */
  readonly applicationId?: string
  readonly recurringIndicator?: boolean
  readonly validUntil?: string
  readonly frequencyPerDay?: number
}

/** Asks for a consent that its PSU approves on its device two seconds later. */
export async function askConsent(
  bank: TestBank,
  access: object,
  { psuId = noa, applicationId = bank.applicationId, ...change }: ConsentChange = {},
): Promise<string> {
  const { body } = await bank.call({
    operation: 'createConsent',
    applicationId,
    headers: { 'psu-id': psuId, 'tpp-decoupled-preferred': 'true' },
    body: {
      access,
      recurringIndicator: true,
      validUntil: '9999-12-31',
      frequencyPerDay: 4,
      combinedServiceIndicator: false,
      ...change,
    },
  })
  return body.consentId
}

/** A consent that its PSU has approved. */
export async function givenConsent(
  bank: TestBank,
  access: object,
  change: ConsentChange = {},
): Promise<string> {
  const consentId = await askConsent(bank, access, change)
  bank.clock.now += 2000
  return consentId
}
