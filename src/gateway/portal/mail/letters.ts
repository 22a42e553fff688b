import { type Brand, plainBrand } from '../../../catalogue/brand/brand.ts'
import { accountLetters } from './account-letters.ts'
import { deprecationLetter } from './deprecation-letter.ts'
import { expiryLetter } from './expiry-letter.ts'
import { keyLetters } from './key-letters.ts'
import { type Block, htmlOf, type LetterText, textOf, type Words } from './letter-body.ts'
import { limitRequestLetters } from './limit-request-letters.ts'
import { limitsLetter } from './limits-letter.ts'
import { type MailFace, mailFace } from './mail-face.ts'
import type { OptionalMail, OptOuts } from './opt-out.ts'

/**
 * Every mail that the portal writes, by its kind. Tokens appear only in links.
 * Developers type the names of applications and keys, so these appear only in
 * bodies, made inert, and never in a letter to an unconfirmed address.
 */
const letters = {
  ...accountLetters,
  ...keyLetters,
  ...limitRequestLetters,
  'limits-reached': limitsLetter,
  expiring: expiryLetter,
  deprecation: deprecationLetter,
} satisfies Record<string, Words>

type Letters = typeof letters

/** A letter to write: its kind, and the facts that its words need. */
export type Letter = {
  [Kind in keyof Letters]: { readonly kind: Kind } & FactsOf<Letters[Kind]>
}[keyof Letters]

type FactsOf<F> = F extends (portalUrl: string, facts: infer Facts) => LetterText ? Facts : never

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
  /** Address of RFC 8058's one-click request; null where the mail cannot be opted out of. */
  readonly optOutUrl: string | null
}

export interface RenderOptions {
  /** The portal's own origin: every link begins with it. */
  readonly portalUrl: string
  readonly optOuts: Pick<OptOuts, 'sign'>
  /** (Default: that of Tollgate) */
  readonly brand?: Brand | undefined
}

/** Writes a letter out as text and as HTML. */
export function renderLetter(
  letter: Letter,
  { portalUrl, optOuts, brand = plainBrand }: RenderOptions,
): RenderedLetter {
  const { subject, blocks } = wordsOf(letter, portalUrl)
  const token = optOutToken(letter, optOuts)
  const face = mailFace(brand, 'en')
  const end = footer({ portalUrl, token, face })
  return {
    subject,
    text: textOf([...blocks, ...end]),
    html: htmlOf({ title: subject, face, blocks, footer: end }),
    sender: face.sender,
    optOutUrl: token === undefined ? null : `${portalUrl}/api/mail-opt-outs/${token}`,
  }
}

function wordsOf(letter: Letter, portalUrl: string): LetterText {
  // TypeScript does not see that the facts of a kind are those that its function takes.
  const words = letters[letter.kind] as (portalUrl: string, facts: Letter) => LetterText
  return words(portalUrl, letter)
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
}

function footer({ portalUrl, token, face }: FooterOptions): Block[] {
  const origin = `The developer portal of ${face.name} at ${portalUrl} sent this email. Please do not reply.`
  return [
    origin,
    ...(face.support === undefined ? [] : [{ link: 'Questions? Contact us', url: face.support }]),
    ...(token === undefined
      ? []
      : [{ link: 'Stop emails of this kind', url: `${portalUrl}/mails/opt-out#token=${token}` }]),
  ]
}
