import type { LetterText } from './letter-body.ts'
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
  /** The developer's words. */
  readonly reason: string
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

/** Letters about a developer's request for more calls; one to each operator, and one with the answer. They have no opt-out. */
export const limitRequestLetters = {
  'limit-requested': (portalUrl: string, asked: AskedFacts): LetterText => ({
    subject: 'A developer asks for more calls',
    blocks: [
      'A developer asks for a higher limit. Grant it until a day, or decline it with a sentence.',
      {
        facts: [
          { label: 'Application', name: asked.applicationName },
          { label: 'Developer', name: asked.developerName },
          { label: 'Address', value: asked.developerEmail },
          ...limitOf(asked),
          { label: 'Wanted calls', value: wholeNumber(asked.calls) },
          { label: 'Reason', name: asked.reason },
        ],
      },
      { link: 'Answer the request', url: `${portalUrl}/operator/requests` },
    ],
  }),

  'limit-granted': (portalUrl: string, granted: GrantedFacts): LetterText => ({
    subject: 'Your request for more calls was granted',
    blocks: [
      'The operator of this gateway granted your request. The higher limit applies now. Afterwards the limit of your plan applies again.',
      {
        facts: [
          { label: 'Application', name: granted.applicationName },
          ...limitOf(granted),
          { label: 'Calls', value: wholeNumber(granted.calls) },
          { label: 'Until', value: utcTime(granted.until) },
        ],
      },
      usageLink(portalUrl, granted),
    ],
  }),

  'limit-declined': (portalUrl: string, declined: DeclinedFacts): LetterText => ({
    subject: 'Your request for more calls was declined',
    blocks: [
      'The operator of this gateway declined your request. Your limit stays as it is.',
      {
        facts: [
          { label: 'Application', name: declined.applicationName },
          ...limitOf(declined),
          { label: 'Wanted calls', value: wholeNumber(declined.calls) },
          { label: 'Answer', name: declined.answer },
        ],
      },
      usageLink(portalUrl, declined),
    ],
  }),
}

function limitOf({ api, version, limit }: LimitFacts) {
  return [
    { label: 'API', value: `${api} ${version}` },
    { label: 'Limit', value: limit },
  ]
}

function usageLink(portalUrl: string, { applicationId }: LimitFacts) {
  return { link: 'See your limits', url: `${portalUrl}/applications/${applicationId}/usage` }
}

function wholeNumber(value: number): string {
  return value.toLocaleString('en')
}
