import { plainBrand } from '../../catalogue/brand/brand.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Words } from '../../messages/format.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { accountLetters } from './account-letters.ts'
import { deprecationLetter } from './deprecation-letter.ts'
import { expiryLetter } from './expiry-letter.ts'
import { keyLetters } from './key-letters.ts'
import { type Block, htmlOf, type LetterText, type LetterWriter, textOf } from './letter-body.ts'
import { limitRequestLetters } from './limit-request-letters.ts'
import { limitsLetter } from './limits-letter.ts'
import { type MailFace, mailFace } from './mail-face.ts'
import type { OptionalMail, OptOuts } from './opt-out.ts'
import { type PublishedNames, publishedNames } from './published-names.ts'

/**
 * Every mail that the portal writes, by its kind. Tokens appear only in links.
 * Developers type the names of applications and keys, so these appear only in
 * bodies, made inert, and never in a letter to an unconfirmed address. To add
 * one: messages `mail.<kind>.*`, a function here, and a row in letters.test.ts.
 */
const letters = {
  ...accountLetters,
  ...keyLetters,
  ...limitRequestLetters,
  'limits-reached': limitsLetter,
  expiring: expiryLetter,
  deprecation: deprecationLetter,
} satisfies Record<string, LetterWriter>

type Letters = typeof letters

/** A letter to write: its kind, and the facts that its words need. */
export type Letter = {
  [Kind in keyof Letters]: { readonly kind: Kind } & FactsOf<Letters[Kind]>
}[keyof Letters]

type FactsOf<F> = F extends (
  portalUrl: string,
  facts: infer Facts,
  words: Words,
  names: PublishedNames,
) => LetterText
  ? Facts
  : never

/** The letters that a developer can switch off. */
const optionalKinds: Partial<Record<Letter['kind'], OptionalMail>> = {
  'limits-reached': 'limits',
  expiring: 'expiry',
  deprecation: 'deprecations',
}

export interface RenderedLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The sender's name where MAIL_FROM has none. */
  readonly sender?: string | undefined
  /** Address of RFC 8058's one-click request; null if the mail has no opt-out. */
  readonly optOutUrl: string | null
}

export interface RenderOptions {
  /** The portal's own origin: every link begins with it. */
  readonly portalUrl: string
  readonly optOuts: Pick<OptOuts, 'sign'>
  readonly language: Language
  /** Has the brand, and the names of what a letter is about. (Default: the brand of Tollgate, and ids) */
  readonly catalogue?: Pick<Catalogue, 'versions' | 'plans' | 'brand'> | undefined
}

/** Writes a letter out as text and as HTML. */
export function renderLetter(
  letter: Letter,
  { portalUrl, optOuts, language, catalogue }: RenderOptions,
): RenderedLetter {
  const words = wordsOf(language)
  const names = publishedNames(catalogue, language)
  const { subject, blocks } = written(letter, portalUrl, words, names)
  const token = optOutToken(letter, optOuts)
  const face = mailFace(catalogue?.brand ?? plainBrand, language)
  const end = footer({ portalUrl, token, face, words })
  return {
    subject,
    text: textOf([...blocks, ...end], language),
    html: htmlOf({ title: subject, language, face, blocks, footer: end }),
    sender: face.sender,
    optOutUrl: token === undefined ? null : `${portalUrl}/api/mail-opt-outs/${token}`,
  }
}

function written(
  letter: Letter,
  portalUrl: string,
  words: Words,
  names: PublishedNames,
): LetterText {
  // TypeScript does not see that the facts of a kind are those that its function takes.
  const write = letters[letter.kind] as (
    url: string,
    facts: Letter,
    words: Words,
    names: PublishedNames,
  ) => LetterText
  return write(portalUrl, letter, words, names)
}

function optOutToken(letter: Letter, optOuts: Pick<OptOuts, 'sign'>): string | undefined {
  const mail = optionalKinds[letter.kind]
  return mail === undefined || !('developerId' in letter)
    ? undefined
    : optOuts.sign({ developerId: letter.developerId, mail })
}

interface FooterOptions {
  readonly portalUrl: string
  readonly token: string | undefined
  readonly face: MailFace
  readonly words: Words
}

function footer({ portalUrl, token, face, words: { t } }: FooterOptions): Block[] {
  return [
    t('mail.footer.origin', { name: face.name }),
    { link: t('mail.footer.portal'), url: portalUrl },
    ...support(face, t),
    ...(token === undefined
      ? []
      : [{ link: t('mail.footer.stop'), url: `${portalUrl}/mails/opt-out#token=${token}` }]),
  ]
}

/** Where questions go; an email address in full, so that readers can copy it. */
function support({ support: url }: MailFace, t: Words['t']): Block[] {
  if (url === undefined) return []
  const [, address] = /^mailto:([^?]+)/.exec(url) ?? []
  return [
    {
      link: address === undefined ? t('mail.footer.support') : t('mail.footer.write', { address }),
      url,
    },
  ]
}
