import type { LetterText } from './letter-body.ts'
import type { KeyLetter, KeyReplacedLetter } from './letters.ts'
import { utcTime } from './utc-time.ts'

const subjects = {
  'key-issued': 'An API key was created',
  'key-replaced': 'An API key was replaced',
  'key-revoked': 'An API key was revoked',
} as const

/** Reports one change of a key, by its developer, an operator or a command. */
export function keyLetter(letter: KeyLetter | KeyReplacedLetter, portalUrl: string): LetterText {
  return {
    subject: subjects[letter.kind],
    blocks: [
      { paragraph: sentenceOf(letter) },
      {
        facts: [
          { label: 'Application', name: letter.applicationName },
          { label: 'Key', name: letter.keyName },
          {
            label: letter.kind === 'key-replaced' ? 'Old hint' : 'Hint',
            value: letter.hint,
          },
          ...(letter.kind === 'key-replaced' ? [{ label: 'New hint', value: letter.newHint }] : []),
          { label: 'When', value: utcTime(letter.at) },
        ],
      },
      {
        link: 'Was this not you? Check your keys',
        url: `${portalUrl}/applications/${letter.applicationId}/keys`,
      },
    ],
  }
}

function sentenceOf(letter: KeyLetter | KeyReplacedLetter): string {
  switch (letter.kind) {
    case 'key-issued':
      return 'One of your applications has a new API key. The portal showed it once, when it was created.'
    case 'key-revoked':
      return 'An API key of one of your applications was revoked. The gateway refuses calls with it.'
    case 'key-replaced':
      return letter.worksUntil === null
        ? 'An API key of one of your applications was replaced. The old key no longer works.'
        : `An API key of one of your applications was replaced. The old key works until ${utcTime(letter.worksUntil)}.`
  }
}
