import { withoutHiddenMarks } from '../../../platform/hidden-marks.ts'
import { escapeHtml } from '../pages/page.ts'
import type { MailFace } from './mail-face.ts'

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

/** A letter in words. */
export interface LetterText {
  /** Written by the portal alone: text that a person typed never gets into a header. */
  readonly subject: string
  readonly blocks: readonly Block[]
}

/** Makes a letter of its facts. @param portalUrl the portal's own origin: every link begins with it */
export type Words = (portalUrl: string, facts: never) => LetterText

export function textOf(blocks: readonly Block[]): string {
  return `${blocks.map(blockText).join('\n\n')}\n`
}

function blockText(block: Block): string {
  if (typeof block === 'string') return block
  if ('link' in block) return `${block.link}:\n${block.url}`
  return block.facts
    .map((fact) => `  ${fact.label}: ${'name' in fact ? quoted(fact.name) : fact.value}`)
    .join('\n')
}

export interface LetterHtml {
  readonly title: string
  readonly face: MailFace
  /** The first link among them is the button. */
  readonly blocks: readonly Block[]
  /** Small print below a line. */
  readonly footer: readonly Block[]
}

/** A whole document without images or remote content, in the reader's own colours. */
export function htmlOf({ title, face, blocks, footer }: LetterHtml): string {
  const button = blocks.find(isLink)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(title)}</title>
<style>:root { color-scheme: light dark; }</style>
</head>
<body style="font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5; max-width: 36em; margin: 0 auto; padding: 16px; overflow-wrap: anywhere;">
<p style="margin: 0 0 24px; padding-bottom: 12px; border-bottom: 3px solid ${face.accent}; font-weight: 600;">${escapeHtml(face.name)}</p>
${blocks.map((block) => (isLink(block) && block === button ? buttonHtml(block, face) : blockHtml(block))).join('\n')}
<div style="margin-top: 32px; padding-top: 12px; border-top: 1px solid #8a989e; font-size: 13px;">
${footer.map(blockHtml).join('\n')}
</div>
</body>
</html>
`
}

function isLink(block: Block): block is LinkBlock {
  return typeof block === 'object' && 'link' in block
}

/** A link that is the thing to do: a button, and the address for programs that show no buttons. */
function buttonHtml({ link, url }: LinkBlock, { accent }: MailFace): string {
  const href = escapeHtml(url)
  return `<p style="margin: 24px 0 8px;"><a href="${href}" style="display: inline-block; padding: 12px 20px; border-radius: 8px; background-color: ${accent}; color: #ffffff; font-weight: 600; text-decoration: none;">${escapeHtml(link)}</a></p>
<p style="font-size: 13px;"><a href="${href}">${href}</a></p>`
}

function blockHtml(block: Block): string {
  if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`
  if ('link' in block) {
    const url = escapeHtml(block.url)
    return `<p>${escapeHtml(block.link)}:<br><a href="${url}">${url}</a></p>`
  }
  const rows = block.facts.map((fact) => {
    const value = 'name' in fact ? quotedHtml(fact.name) : escapeHtml(fact.value)
    return `<li>${escapeHtml(fact.label)}: ${value}</li>`
  })
  return `<ul>\n${rows.join('\n')}\n</ul>`
}

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

/** {@link quoted} as HTML, apart from the direction of what stands around it. */
function quotedHtml(name: string): string {
  return `<bdi>${escapeHtml(quoted(name))}</bdi>`
}
