import { accountLetters } from './account-letters.ts'
import { deprecationLetter } from './deprecation-letter.ts'
import { keyLetters } from './key-letters.ts'
import type { LetterText, Words } from './letter-body.ts'
import { limitsLetter } from './limits-letter.ts'

/**
 * Every mail that the portal writes, by its kind. Tokens appear only in links.
 * Developers type the names of applications and keys, so these appear only in
 * bodies, made inert, and never in a letter to an unconfirmed address.
 */
const letters = {
  ...accountLetters,
  ...keyLetters,
  'limits-reached': limitsLetter,
  deprecation: deprecationLetter,
} satisfies Record<string, Words>

type Letters = typeof letters

/** A letter to write: its kind, and the facts that its words need. */
export type Letter = {
  [Kind in keyof Letters]: { readonly kind: Kind } & FactsOf<Letters[Kind]>
}[keyof Letters]

type FactsOf<F> = F extends (portalUrl: string, facts: infer Facts) => LetterText ? Facts : never

/** The mails that a developer can switch off; also the names of the preferences. */
export const optionalMails = ['keys', 'limits', 'deprecations'] as const
export type OptionalMail = (typeof optionalMails)[number]

/** The letters that a developer can switch off. */
export const optionalKinds: Partial<Record<Letter['kind'], OptionalMail>> = {
  'key-issued': 'keys',
  'key-replaced': 'keys',
  'key-revoked': 'keys',
  'limits-reached': 'limits',
  deprecation: 'deprecations',
}

/** The words of a letter. */
export function wordsOf(letter: Letter, portalUrl: string): LetterText {
  // TypeScript does not see that the facts of a kind are those that its function takes.
  const words = letters[letter.kind] as (portalUrl: string, facts: Letter) => LetterText
  return words(portalUrl, letter)
}
