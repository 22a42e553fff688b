import type { Segment } from './catalogue.ts'
import { canonicalLiteral, capitalised } from './path-spelling.ts'

/** A segment of a document's path that cannot be routed. */
export interface BadSegment {
  readonly segment: string
  /** A sentence without its subject. */
  readonly message: string
}

/**
 * Reads a path of a document, `/accounts/{account-id}:close`, as its segments.
 * What follows `?` or `#` is no part of the path.
 */
export function parseTemplate(template: string): readonly Segment[] | BadSegment {
  const path = withoutQuery(template)
  if (!path.startsWith('/')) return { segment: template, message: 'does not begin with "/"' }
  const texts = path.slice(1).split('/')
  const segments: Segment[] = []
  for (const [index, text] of texts.entries()) {
    if (text === '' && index < texts.length - 1) {
      return { segment: '//', message: 'is empty: servers merge slashes' }
    }
    const segment = parseSegment(text)
    if (segment === undefined) {
      return { segment: text, message: faultOf(text) }
    }
    segments.push(segment)
  }
  return segments
}

/** The names in braces of a path of a document, in its order; each once. */
export function parameterNames(template: string): readonly string[] {
  const names = Array.from(
    withoutQuery(template).matchAll(/\{([^{}]+)\}/g),
    ([, name = '']) => name,
  )
  return [...new Set(names)]
}

/** RFC 6570 writes a query as {?name}; some documents do, too. */
function withoutQuery(template: string): string {
  return template.replace(/(\{[?&#]|[?#]).*$/s, '')
}

/** What is wrong with a segment, as a sentence without its subject. */
function faultOf(segment: string): string {
  const texts = segment.split(/\{[^{}]+\}/)
  if (texts.some((text) => /[{}]/.test(text.replaceAll('{}', '')))) {
    return 'has a brace without the other'
  }
  if (texts.some((text) => text.includes('{}'))) return 'has braces without a name'
  if (/^(?:\.|%2e){1,2}$/i.test(segment)) return 'is a dot segment, which servers resolve'
  const parts = texts.flatMap((text) => text.match(/(?:%[0-9A-Fa-f]{2})+|./gsu) ?? [])
  // In the middle, where white space is allowed.
  const fault = parts.find((part) => canonicalLiteral(`a${part}a`) === undefined)
  return fault === undefined
    ? 'begins or ends with a character that servers read in two ways'
    : `has ${JSON.stringify(fault)}, which servers read in two ways`
}

function parseSegment(text: string): Segment | undefined {
  const [first = '', ...others] = text.split(/\{[^{}]+\}/)
  const texts: string[] = []
  for (const part of [first, ...others]) {
    const literal = /[{}]/.test(part) ? undefined : canonicalLiteral(part)
    if (literal === undefined) return undefined
    texts.push(literal)
  }
  if (others.length > 0) {
    const isParameter = texts.length === 2 && texts.join('') === ''
    return isParameter ? { kind: 'parameter', name: text.slice(1, -1) } : { kind: 'mixed', texts }
  }
  return texts[0] === '.' || texts[0] === '..'
    ? undefined
    : { kind: 'literal', text: texts[0] ?? '' }
}

/** The segment with `{}` for each parameter: names of parameters do not distinguish paths. */
export function shapeOf(segment: Segment): string {
  if (segment.kind === 'literal') return segment.text
  return segment.kind === 'mixed' ? segment.texts.join('{}') : '{}'
}

/**
 * Whether a segment of a path has the texts of a mixed one in their order, with
 * at least one character for each parameter between them.
 */
export function fits(segment: string, texts: readonly string[]): boolean {
  const units = unitsOf(segment)
  const first = unitsOf(texts[0] ?? '')
  const last = unitsOf(texts.at(-1) ?? '')
  if (!units.startsWith(first) || !units.endsWith(last)) return false
  // The first place that fits leaves the most room for what follows.
  let at = first.length + 1
  for (const text of texts.slice(1, -1)) {
    const between = unitsOf(text)
    const found = units.indexOf(between, at)
    if (found === -1) return false
    at = found + between.length + 1
  }
  return at <= units.length - last.length
}

/** With one character for each encoded octet, so that no text is found within its digits. */
function unitsOf(text: string): string {
  if (!text.includes('%')) return text
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(0xe000 + Number.parseInt(digits, 16)),
  )
}

/**
 * Whether a path spells the literals of the segments as they are published:
 * not encoded where that is not needed.
 *
 * @param written the segments of the path, as the client wrote them
 */
export function spellsLiterals(written: readonly string[], segments: readonly Segment[]): boolean {
  return segments.every((segment, index) => {
    const text = capitalised(written[index] ?? '')
    if (segment.kind === 'parameter') return true
    return segment.kind === 'literal' ? text === segment.text : fits(text, segment.texts)
  })
}

/** The segments of a prefix, which are literal: `/open-banking/v4.0`. */
export function prefixSegments(prefix: string): readonly Segment[] {
  return prefix
    .split('/')
    .slice(1)
    .map((text) => ({ kind: 'literal', text }))
}
