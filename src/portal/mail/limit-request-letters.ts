import type { Words } from '../../messages/format.ts'
import { languageFacts } from '../../messages/language.ts'
import type { LetterText } from './letter-body.ts'
import type { PublishedNames } from './published-names.ts'
import { utcTime } from './utc-time.ts'

interface LimitFacts {
  readonly applicationId: string
  readonly applicationName: string
  readonly api: string
  readonly version: string
  /** Name of the limit in the plan. */
  readonly limit: string
}

interface AskedFacts extends LimitFacts {
  readonly developerName: string
  readonly developerEmail: string
  readonly calls: number
  /** Null: the developer did not say. */
  readonly wantedUntil: Date | null
  /** The developer's words. */
  readonly reason: string
  /** All open requests, this one included. */
  readonly waiting: number
}

interface GrantedFacts extends LimitFacts {
  readonly calls: number
  readonly until: Date
}

interface DeclinedFacts extends LimitFacts {
  readonly calls: number
  /** The operator's words. */
  readonly answer: string
}

/** Letters about requests for more calls; one an hour to each operator, and one with the answer. They have no opt-out. */
export const limitRequestLetters = {
  'limit-requested': (
    portalUrl: string,
    asked: AskedFacts,
    words: Words,
    names: PublishedNames,
  ): LetterText => ({
    subject: words.t('mail.limitRequested.subject'),
    blocks: [
      words.t('mail.limitRequested.lead'),
      {
        facts: [
          { label: words.t('mail.fact.application'), name: asked.applicationName },
          { label: words.t('mail.fact.developer'), name: asked.developerName },
          { label: words.t('mail.fact.address'), address: asked.developerEmail },
          ...limitOf(asked, words, names),
          { label: words.t('mail.fact.wanted'), value: wholeNumber(asked.calls, words) },
          ...(asked.wantedUntil === null
            ? []
            : [
                {
                  label: words.t('mail.fact.until'),
                  value: utcTime(asked.wantedUntil, words.language),
                },
              ]),
          { label: words.t('mail.fact.reason'), name: asked.reason },
        ],
      },
      words.t('mail.limitRequested.waiting', { count: asked.waiting }),
      { link: words.t('mail.limitRequested.link'), url: `${portalUrl}/operator/requests` },
    ],
  }),

  'limit-granted': (
    portalUrl: string,
    granted: GrantedFacts,
    words: Words,
    names: PublishedNames,
  ): LetterText => ({
    subject: words.t('mail.limitGranted.subject'),
    blocks: [
      words.t('mail.limitGranted.lead'),
      {
        facts: [
          { label: words.t('mail.fact.application'), name: granted.applicationName },
          ...limitOf(granted, words, names),
          { label: words.t('mail.fact.calls'), value: wholeNumber(granted.calls, words) },
          { label: words.t('mail.fact.until'), value: utcTime(granted.until, words.language) },
        ],
      },
      usageLink(portalUrl, granted, words),
    ],
  }),

  'limit-declined': (
    portalUrl: string,
    declined: DeclinedFacts,
    words: Words,
    names: PublishedNames,
  ): LetterText => ({
    subject: words.t('mail.limitDeclined.subject'),
    blocks: [
      words.t('mail.limitDeclined.lead'),
      {
        facts: [
          { label: words.t('mail.fact.application'), name: declined.applicationName },
          ...limitOf(declined, words, names),
          { label: words.t('mail.fact.wanted'), value: wholeNumber(declined.calls, words) },
          { label: words.t('mail.fact.answer'), name: declined.answer },
        ],
      },
      usageLink(portalUrl, declined, words),
    ],
  }),
}

function limitOf(facts: LimitFacts, { t }: Words, names: PublishedNames) {
  const limit = names.limit(facts)
  return [
    { label: t('mail.fact.api'), value: names.version(facts) },
    ...(limit === undefined ? [] : [{ label: t('mail.fact.limit'), value: limit }]),
  ]
}

function usageLink(portalUrl: string, { applicationId }: LimitFacts, { t }: Words) {
  return {
    link: t('mail.limitRequest.usage'),
    url: `${portalUrl}/applications/${applicationId}/usage`,
  }
}

function wholeNumber(value: number, { language }: Words): string {
  return value.toLocaleString(languageFacts[language].locale)
}
