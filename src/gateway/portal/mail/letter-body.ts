import { withoutHiddenMarks } from '../../../platform/hidden-marks.ts'
import { escapeHtml } from '../pages/page.ts'

/**
 * One block of a letter, written once and rendered as text and as HTML. Only
 * `name` may hold text that a person typed; the portal writes everything else.
 */
export type Block =
  /** A paragraph. */
  string | { readonly link: string; readonly url: string } | { readonly facts: readonly Fact[] }

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

/** A whole document without images or remote content, in the reader's own colours. */
export function htmlOf(title: string, blocks: readonly Block[]): string {
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
${blocks.map(blockHtml).join('\n')}
</body>
</html>
`
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
