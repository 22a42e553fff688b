import type { Words } from '../../messages/format.ts'
import type { Expiring } from '../stores/alerts/expiry-alerts.ts'
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
export function expiryLetter(
  portalUrl: string,
  letter: ExpiryFacts,
  { t, language }: Words,
): LetterText {
  const { applicationId, applicationName, items } = letter
  const [first] = items
  const days = first?.daysLeft ?? 0
  return {
    subject:
      first?.of === 'certificate'
        ? t('mail.expiry.subjectCertificate', { days })
        : t('mail.expiry.subjectKey', { days }),
    blocks: [
      t('mail.expiry.lead'),
      { facts: [{ label: t('mail.fact.application'), name: applicationName }] },
      ...items.map((item) => ({
        facts: [
          {
            label: t(item.of === 'key' ? 'mail.fact.key' : 'mail.fact.certificate'),
            name: item.name,
          },
          ...(item.of === 'key' ? [{ label: t('mail.fact.hint'), value: item.hint }] : []),
          { label: t('mail.fact.expires'), value: utcTime(item.expiresAt, language) },
        ],
      })),
      { link: t('mail.expiry.link'), url: `${portalUrl}/applications/${applicationId}/keys` },
    ],
  }
}
