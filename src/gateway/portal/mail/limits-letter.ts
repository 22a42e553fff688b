import type { Words } from '../../../messages/format.ts'
import type { LimitAlert } from '../../registry/limit-alerts.ts'
import type { Block, Fact, LetterText } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

export interface LimitsFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly alerts: readonly LimitAlert[]
}

/** How many limits an email lists; the portal shows all. */
const limitsMax = 20

/** Tells what limits an application has nearly or wholly used up since the last such email. */
export function limitsLetter(portalUrl: string, letter: LimitsFacts, words: Words): LetterText {
  const { t, language } = words
  const { applicationId, applicationName, alerts } = letter
  const limits = [...Map.groupBy(alerts, (alert) => nameOf(alert, words))].map(([name, found]) => ({
    name,
    ...latestOf(found),
  }))
  const isUsedUp = limits.some(({ threshold }) => threshold === 100)
  const shown: Fact[] = limits.slice(0, limitsMax).map(({ name, used, limit, resetsAt }) => ({
    label: name,
    value: t('mail.limits.used', { used, limit, at: utcTime(resetsAt, language) }),
  }))
  const more = limits.length - shown.length
  const link: Block = {
    link: t('mail.limits.link'),
    url: `${portalUrl}/applications/${applicationId}/usage`,
  }
  return {
    subject: t(isUsedUp ? 'mail.limits.subjectUsedUp' : 'mail.limits.subject'),
    blocks: [
      t(isUsedUp ? 'mail.limits.usedUp' : 'mail.limits.near'),
      {
        facts: [
          { label: t('mail.fact.application'), name: applicationName },
          ...shown,
          ...(more > 0 ? [{ label: t('mail.limits.more'), value: String(more) }] : []),
        ],
      },
      link,
      t('mail.limits.hourly'),
    ],
  }
}

function nameOf({ api, version, operation }: LimitAlert, { t }: Words): string {
  return operation === null
    ? t('mail.limits.operations', { api, version })
    : t('mail.limits.operation', { api, version, operation })
}

/** The newest window of a limit, and in it the highest threshold. */
function latestOf(
  alerts: readonly LimitAlert[],
): Pick<LimitAlert, 'threshold' | 'used' | 'limit' | 'resetsAt'> {
  const [latest] = alerts.toSorted(
    (a, b) => b.resetsAt.getTime() - a.resetsAt.getTime() || b.threshold - a.threshold,
  )
  if (latest === undefined) throw new Error('a limit without an alert')
  return latest
}
