import type { Expiring } from '../../registry/expiry-alerts.ts'
import type { LetterText } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

export interface ExpiryFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  /** Soonest end first. */
  readonly items: readonly (Expiring & { readonly daysLeft: number })[]
}

/** Warns of keys and certificates that expire soon. */
export function expiryLetter(portalUrl: string, letter: ExpiryFacts): LetterText {
  const { applicationId, applicationName, items } = letter
  const [first] = items
  const days = first?.daysLeft ?? 0
  const what = first?.of === 'certificate' ? 'A certificate' : 'An API key'
  return {
    subject: `${what} expires in ${days} ${days === 1 ? 'day' : 'days'}`,
    blocks: [
      'The gateway refuses calls with a key or certificate that has expired. Replace it before then.',
      { facts: [{ label: 'Application', name: applicationName }] },
      ...items.map((item) => ({
        facts: [
          { label: item.of === 'key' ? 'Key' : 'Certificate', name: item.name },
          ...(item.of === 'key' ? [{ label: 'Hint', value: item.hint }] : []),
          { label: 'Expires', value: utcTime(item.expiresAt) },
        ],
      })),
      { link: 'Replace it', url: `${portalUrl}/applications/${applicationId}/keys` },
    ],
  }
}
