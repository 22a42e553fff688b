import type { Words } from '../../messages/format.ts'
import { type Language, languageFacts } from '../../messages/language.ts'
import type { LimitAlert } from '../stores/alerts/limit-alerts.ts'
import type { Block, Fact, LetterText } from './letter-body.ts'
import type { PublishedNames } from './published-names.ts'
import { utcClock, utcDay, utcTime } from './utc-time.ts'

export interface LimitsFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly alerts: readonly LimitAlert[]
  readonly writtenAt: Date
}

/** How many limits an email lists; the portal shows all. */
const limitsMax = 20

/** Reports the limits that an application has used up, or nearly, since the last of these emails. */
export function limitsLetter(
  portalUrl: string,
  { applicationId, applicationName, alerts, writtenAt }: LimitsFacts,
  words: Words,
  names: PublishedNames,
): LetterText {
  const { t } = words
  const limits = [
    ...Map.groupBy(alerts, ({ api, version, operation }) => `${api} ${version} ${operation}`),
  ].map(([, found]) => latestOf(found))
  const isUsedUp = limits.some(({ threshold }) => threshold === 100)
  const shown = Map.groupBy(limits.slice(0, limitsMax), (limit) => names.version(limit))
  const more = Math.max(0, limits.length - limitsMax)
  const application: Fact = { label: t('mail.fact.application'), name: applicationName }
  const ofVersion = ([version, found]: [string, readonly LimitAlert[]]): Block => ({
    facts: [
      { label: t('mail.fact.api'), value: version },
      ...found.map((limit) => ({
        label: nameOf(limit, words, names),
        value: used(limit, writtenAt, words),
      })),
    ],
  })
  return {
    subject: t(isUsedUp ? 'mail.limits.subjectUsedUp' : 'mail.limits.subject'),
    blocks: [
      t(isUsedUp ? 'mail.limits.usedUp' : 'mail.limits.near'),
      { facts: [application] },
      ...[...shown].map(ofVersion),
      ...(more > 0 ? [{ facts: [{ label: t('mail.limits.more'), value: String(more) }] }] : []),
      { link: t('mail.limits.link'), url: `${portalUrl}/applications/${applicationId}/usage` },
      t('mail.limits.hourly'),
    ],
  }
}

function nameOf(
  { api, version, operation }: LimitAlert,
  { t }: Words,
  names: PublishedNames,
): string {
  return operation === null
    ? t('limit.allOperations')
    : names.operation({ api, version, operation })
}

/** The clock of UTC on the same day, else with the day; and how long it takes from when the letter is written. */
function used(
  { used, limit, resetsAt }: LimitAlert,
  writtenAt: Date,
  { t, language }: Words,
): string {
  const minutes = Math.ceil((resetsAt.getTime() - writtenAt.getTime()) / 60_000)
  const isToday = utcDay(resetsAt, language) === utcDay(writtenAt, language)
  const at = isToday ? utcClock(resetsAt) : utcTime(resetsAt, language)
  if (minutes <= 0) return t('mail.limits.wasUsed', { used, limit, at })
  return t('mail.limits.used', { used, limit, at, in: inWords(minutes, language) })
}

/** `in 55 minutes`, `in 5 hours`, `in 12 days`. */
function inWords(minutes: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(languageFacts[language].locale)
  if (minutes < 120) return format.format(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? format.format(hours, 'hour') : format.format(Math.round(hours / 24), 'day')
}

/** The newest window of a limit, and in it the highest threshold. */
function latestOf(alerts: readonly LimitAlert[]): LimitAlert {
  const [latest] = alerts.toSorted(
    (a, b) => b.resetsAt.getTime() - a.resetsAt.getTime() || b.threshold - a.threshold,
  )
  if (latest === undefined) throw new Error('a limit without an alert')
  return latest
}
