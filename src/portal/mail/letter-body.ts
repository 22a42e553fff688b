import type { Words } from '../../messages/format.ts'
import { type Language, languageFacts } from '../../messages/language.ts'
import { withoutHiddenMarks } from '../../platform/hidden-marks.ts'
import { escapeHtml } from '../pages/escape-html.ts'
import type { MailFace } from './mail-face.ts'
import type { PublishedNames } from './published-names.ts'

/**
 * One block of a letter, written once and rendered as text and as HTML. Only
 * `name` may hold text that a person typed; the portal writes everything else.
 */
export type Block =
  /** A paragraph. */
  string | LinkBlock | { readonly facts: readonly Fact[] }

interface LinkBlock {
  readonly link: string
  readonly url: string
}

export type Fact =
  | { readonly label: string; readonly value: string }
  | { readonly label: string; readonly name: string }
  /** An email address, which readers copy. */
  | { readonly label: string; readonly address: string }

/** A letter in words. */
export interface LetterText {
  /** Written by the portal alone: text that a person typed never gets into a header. */
  readonly subject: string
  readonly blocks: readonly Block[]
}

/**
 * Makes a letter of its facts, in the reader's words.
 * @param portalUrl the portal's own origin: every link begins with it
 */
export type LetterWriter = (
  portalUrl: string,
  facts: never,
  words: Words,
  names: PublishedNames,
) => LetterText

export function textOf(blocks: readonly Block[], language: Language): string {
  const isolate =
    languageFacts[language].direction === 'ltr'
      ? (text: string) => text
      : (text: string) => `\u2068${text}\u2069`
  return `${blocks.map((block) => blockText(block, isolate)).join('\n\n')}\n`
}

function blockText(block: Block, isolate: (text: string) => string): string {
  if (typeof block === 'string') return block
  // Its words have the address.
  if ('link' in block && block.url.startsWith('mailto:')) return block.link
  if ('link' in block) return `${block.link}:\n${block.url}`
  return block.facts.map((fact) => `  ${fact.label}: ${isolate(factText(fact))}`).join('\n')
}

export interface LetterHtml {
  readonly title: string
  readonly language: Language
  readonly face: MailFace
  /** The first link among them is the button. */
  readonly blocks: readonly Block[]
  /** Small print below the card. */
  readonly footer: readonly Block[]
}

/** Programs that know dark mode use these; others use the styles of each element. */
const dark = ({ links }: MailFace): string => `
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background-color: #0b1316 !important; color: #e8eff1 !important; }
  .card { background-color: #111d22 !important; border-color: #1e2d33 !important; color: #e8eff1 !important; }
  .line { border-color: #1e2d33 !important; }
  .dim { color: #9fb0b6 !important; }
  .link { color: ${links.dark} !important; }
}
`
const faces = "Inter, Heebo, system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"

/** A whole document without images or remote content, light or dark as the reader's program is. */
export function htmlOf({ title, language, face, blocks, footer }: LetterHtml): string {
  const button = blocks.find(isLink)
  const { direction } = languageFacts[language]
  const letter = escapeHtml([...face.name][0] ?? '')
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(title)}</title>
<style>${dark(face)}</style>
</head>
<body class="ground" dir="${direction}" style="margin: 0; padding: 32px 12px; background-color: #f6f8f9; color: #0c1a1f; font-family: ${faces}; font-size: 15px; line-height: 1.55; overflow-wrap: anywhere;">
<div class="card" style="max-width: 520px; margin: 0 auto; background-color: #ffffff; border: 1px solid #e4eaec; border-radius: 12px;">
<div class="line" style="padding: 16px 28px; border-bottom: 1px solid #e4eaec; font-weight: 600;"><span aria-hidden="true" style="display: inline-block; width: 28px; line-height: 28px; margin-inline-end: 10px; border-radius: 8px; background-color: ${face.accent}; color: #ffffff; text-align: center; font-size: 14px;">${letter}</span><bdi>${escapeHtml(face.name)}</bdi></div>
<div style="padding: 24px 28px 20px;">
<h1 style="margin: 0 0 12px; font-size: 20px; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em;">${escapeHtml(title)}</h1>
${blocks.map((block) => (isLink(block) && block === button ? buttonHtml(block, face) : blockHtml(block, face))).join('\n')}
</div>
</div>
<div class="dim" style="max-width: 464px; margin: 16px auto 0; padding: 0 28px; color: #55646b; font-size: 12px;">
${footer.map((block) => blockHtml(block, face)).join('\n')}
</div>
</body>
</html>
`
}

function isLink(block: Block): block is LinkBlock {
  return typeof block === 'object' && 'link' in block
}

const linkColour = ({ links }: MailFace): string => `class="link" style="color: ${links.light};"`

/** A link that is the thing to do: a button, and the address for programs that show no buttons. */
function buttonHtml({ link, url }: LinkBlock, face: MailFace): string {
  const href = escapeHtml(url)
  return `<p style="margin: 20px 0 10px;"><a href="${href}" style="display: inline-block; padding: 11px 20px; border-radius: 8px; background-color: ${face.accent}; color: #ffffff; font-weight: 600; text-decoration: none;">${escapeHtml(link)}</a></p>
<p style="margin: 0 0 16px; font-size: 12px;"><a href="${href}" dir="ltr" ${linkColour(face)}>${href}</a></p>`
}

function blockHtml(block: Block, face: MailFace): string {
  if (typeof block === 'string') return `<p style="margin: 0 0 12px;">${escapeHtml(block)}</p>`
  if ('link' in block) {
    const url = escapeHtml(block.url)
    return `<p style="margin: 0 0 12px;"><a href="${url}" ${linkColour(face)}>${escapeHtml(block.link)}</a></p>`
  }
  const rows = block.facts.map((fact) => {
    const value = factText(fact)
    return `<tr><th scope="row" class="dim line" style="padding: 8px 0; padding-inline-end: 16px; border-bottom: 1px solid #e4eaec; color: #55646b; font-weight: 400; text-align: start; vertical-align: top; white-space: nowrap;">${escapeHtml(fact.label)}</th><td class="line" style="width: 100%; padding: 8px 0; border-bottom: 1px solid #e4eaec; text-align: start;"><bdi>${escapeHtml(value)}</bdi></td></tr>`
  })
  return `<table style="width: 100%; margin: 0 0 16px; border-collapse: collapse; font-size: 14px;"><tbody>
${rows.join('\n')}
</tbody></table>`
}

function factText(fact: Fact): string {
  if ('value' in fact) return fact.value
  if ('name' in fact) return quoted(fact.name)
  return plainAddress.test(fact.address) ? fact.address : quoted(fact.address)
}

/** An address that can be nothing else: mail programs may at most offer to write to it. */
const plainAddress = /^[\w.+-]+@[A-Za-z0-9.-]+$/

/**
 * Prepares a name that a developer typed for a mail: on one line, in quotes and
 * spelled so that mail programs do not turn it into a link ("evil.example"
 * becomes "evil[.]example"). Drops hidden marks.
 */
function quoted(name: string): string {
  const line = withoutHiddenMarks(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|tel|sms|data|javascript)):/gi, '[:]')
    .replace(/[.\u3002\uff0e\uff61](?=\p{L}{2})/gu, '[.]')
    .replace(/[@\uff20]/g, '[at]')
  return `"${line.trim()}"`
}
