import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../pages/escape-html.ts'

/** A heading of a guide below its title. */
export interface GuideHeading {
  readonly id: string
  /** Plain text. */
  readonly title: string
  readonly level: number
  /** The words up to the next heading, with tables and code, for a search. */
  readonly text: string
}

/** A piece of a guide: text as HTML, or a block of code. */
export type MarkdownPart =
  | { readonly kind: 'html'; readonly html: string }
  | {
      readonly kind: 'code'
      /** What follows the fence, for example `sh` or `sample createConsent`. */
      readonly info: string
      readonly source: string
    }

/** A text in Markdown, taken apart. */
export interface RenderedMarkdown {
  /** Its heading of level 1. */
  readonly title: string
  /** Its first paragraph, without markup. */
  readonly description: string
  readonly headings: readonly GuideHeading[]
  /** All that follows the first paragraph. */
  readonly parts: readonly MarkdownPart[]
}

/**
 * Raw HTML of the text is shown as text, a link leads only to this portal or to https, and a picture is its
 * description: so nothing in a guide can run or load.
 */
const markdown = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      return /^(?:[/#](?![/\\\s])|https:\/\/)/.test(href)
        ? `<a href="${escapeHtml(href)}">${text}</a>`
        : text
    },
    // A wide table scrolls by itself, and by keyboard.
    table(token) {
      const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
        `<tr>${cells.map(({ tokens }) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
      const body = token.rows.map((cells) => row(cells, 'td')).join('\n')
      return `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(plainText(token.header[0]?.tokens ?? []))}"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
    },
    codespan: ({ text }) => `<code dir="ltr">${escapeHtml(text)}</code>`,
  },
})

/**
 * Renders a text that begins with a heading and a paragraph.
 *
 * @param ids of its headings below the title, in their order; without them they follow from the words
 */
export function renderMarkdown(text: string, ids?: readonly string[]): RenderedMarkdown {
  const tokens = markdown.lexer(text).filter(({ type }) => type !== 'space')
  const [heading, lead, ...rest] = tokens
  const headings: Omit<GuideHeading, 'text'>[] = []
  /** The text below each heading. */
  const texts: string[] = []
  const parts: MarkdownPart[] = []
  let pending: string[] = []
  const flush = () => {
    if (pending.length > 0) parts.push({ kind: 'html', html: pending.join('') })
    pending = []
  }
  for (const token of rest) {
    if (texts.length > 0 && !isOf(token, 'heading'))
      texts.push(`${texts.pop()} ${searchText(token)}`)
    if (isOf(token, 'code')) {
      flush()
      parts.push({ kind: 'code', info: token.lang ?? '', source: token.text })
    } else if (isOf(token, 'heading')) {
      const title = plainText(token.tokens)
      const id = ids?.[headings.length] ?? slug(title)
      headings.push({ id, title, level: token.depth })
      texts.push('')
      const inside = markdown.Parser.parseInline(token.tokens, markdown.defaults)
      pending.push(`<h${token.depth} id="${escapeHtml(id)}">${inside}</h${token.depth}>\n`)
    } else {
      pending.push(markdown.parser([token]))
    }
  }
  flush()
  return {
    title: heading === undefined ? '' : plainText([heading]),
    description: lead === undefined ? '' : plainText([lead]),
    headings: headings.map((heading, at) => ({ ...heading, text: texts[at]?.trim() ?? '' })),
    parts,
  }
}

/** Renders a text of any Markdown as HTML, without anything that could run or load. */
export function markdownHtml(text: string): string {
  return markdown.parse(text, { async: false })
}

/** The words of a block with its tables and code, without marks and targets of links. */
function searchText({ raw }: Token): string {
  return raw
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/[`*|#[\]>]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function isOf<Type extends 'code' | 'heading'>(
  token: Token,
  type: Type,
): token is Extract<Tokens.Code | Tokens.Heading, { type: Type }> {
  return token.type === type
}

/** The words of tokens, without markup and with single spaces. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(wordsOf).join('').replaceAll(/\s+/g, ' ').trim()
}

function wordsOf(token: Token): string {
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(wordsOf).join('')
  return 'text' in token && typeof token.text === 'string' ? token.text : ''
}

/** The code of an error stays unchanged, so that a link can name it. */
function slug(title: string): string {
  if (/^[A-Z][A-Z_]+$/.test(title)) return title
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
