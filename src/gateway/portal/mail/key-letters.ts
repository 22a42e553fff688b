import type { LetterText, Words } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

/** What a mail shows of a key; never the key itself. */
interface KeyFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly keyName: string
  /** `tg_<id>_…<last four>`. */
  readonly hint: string
  readonly at: Date
}

/** A rotation: one mail for both keys. */
interface ReplacedFacts extends KeyFacts {
  readonly newHint: string
  /** Until when the old key works; null: it no longer works. */
  readonly worksUntil: Date | null
}

/** Letters that report one change of a key, by its developer, an operator or a command. */
export const keyLetters = {
  'key-issued': (portalUrl: string, key: KeyFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was created',
      sentence:
        'One of your applications has a new API key. The portal showed it once, when it was created.',
    }),

  'key-revoked': (portalUrl: string, key: KeyFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was revoked',
      sentence:
        'An API key of one of your applications was revoked. The gateway refuses calls with it.',
    }),

  'key-replaced': (portalUrl: string, key: ReplacedFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was replaced',
      sentence: `An API key of one of your applications was replaced. The old key ${
        key.worksUntil === null ? 'no longer works' : `works until ${utcTime(key.worksUntil)}`
      }.`,
    }),
} satisfies Record<string, Words>

function keyLetter(
  portalUrl: string,
  key: KeyFacts & Partial<ReplacedFacts>,
  { subject, sentence }: { readonly subject: string; readonly sentence: string },
): LetterText {
  return {
    subject,
    blocks: [
      sentence,
      {
        facts: [
          { label: 'Application', name: key.applicationName },
          { label: 'Key', name: key.keyName },
          { label: key.newHint === undefined ? 'Hint' : 'Old hint', value: key.hint },
          ...(key.newHint === undefined ? [] : [{ label: 'New hint', value: key.newHint }]),
          { label: 'When', value: utcTime(key.at) },
        ],
      },
      {
        link: 'Was this not you? Check your keys',
        url: `${portalUrl}/applications/${key.applicationId}/keys`,
      },
    ],
  }
}
