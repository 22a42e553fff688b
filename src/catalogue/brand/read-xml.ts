/** An element with its own text, without that of its children. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
}

const elementsMax = 5_000

/**
 * Reads the part of XML that a drawing needs, and refuses the rest: document
 * types (which can define entities), other processing instructions, CDATA, and
 * whatever is not well-formed.
 *
 * @returns the elements in document order, the root first
 */
export function readXml(text: string): readonly XmlElement[] | { readonly fault: string } {
  const elements: { name: string; attributes: ReadonlyMap<string, string>; text: string }[] = []
  const open: (typeof elements)[number][] = []
  const whole = text.replace(/^\uFEFF/, '')
  const [declaration = ''] = xmlDeclaration.exec(whole) ?? []
  const [, encoding = 'UTF-8'] = declaredEncoding.exec(declaration) ?? []
  // A browser would read other signs than this function.
  if (encoding.toUpperCase() !== 'UTF-8')
    return { fault: `says that its encoding is ${short(encoding)}, and must be in UTF-8` }
  const body = whole.slice(declaration.length)
  let at = 0
  while (at < body.length) {
    const next = body.indexOf('<', at)
    const words = body.slice(at, next === -1 ? undefined : next)
    const plain = plainText(words)
    if (plain === undefined)
      return { fault: `has an entity that is not of XML itself: ${short(words)}` }
    const parent = open.at(-1)
    if (parent !== undefined) parent.text += plain
    else if (plain.trim() !== '') return { fault: `has text outside of its root: ${short(plain)}` }
    if (next === -1) break
    if (body.startsWith('<!--', next)) {
      const end = body.indexOf('-->', next + 4)
      if (end === -1) return { fault: 'has a comment that does not end' }
      at = end + 3
      continue
    }
    token.lastIndex = next
    const found = token.exec(body)
    if (found === null) return { fault: notReadable(body, next) }
    at = token.lastIndex
    const [, closing, opening, written = '', slash] = found
    if (closing !== undefined) {
      if (open.pop()?.name !== closing)
        return { fault: `has </${closing}> where no <${closing}> is open` }
      continue
    }
    const attributes = readAttributes(written)
    if ('fault' in attributes) return attributes
    if (open.length === 0 && elements.length > 0) return { fault: 'has more than one root element' }
    if (elements.length === elementsMax) return { fault: `has more than ${elementsMax} elements` }
    const element = { name: opening ?? '', attributes, text: '' }
    elements.push(element)
    if (slash !== '/') open.push(element)
  }
  const [left] = open
  if (left !== undefined) return { fault: `does not end: <${left.name}> is still open` }
  return elements
}

const xmlDeclaration = /^\s*<\?xml\s[^?<>]*\?>/
const declaredEncoding = /\sencoding\s*=\s*["']([^"']*)/
/** An end tag, or a start tag with its attributes. */
const token =
  /<(?:\/([A-Za-z_][\w:.-]*)\s*|([A-Za-z_][\w:.-]*)((?:\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?))>/y
const attribute = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/gy

function readAttributes(written: string): ReadonlyMap<string, string> | { readonly fault: string } {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of written.matchAll(attribute)) {
    const raw = double ?? single ?? ''
    const value = plainText(raw)
    if (value === undefined)
      return { fault: `has an entity that is not of XML itself: ${short(raw)}` }
    if (attributes.has(name)) return { fault: `has the attribute ${name} twice at one element` }
    attributes.set(name, value)
  }
  return attributes
}

function notReadable(body: string, at: number): string {
  if (body.startsWith('<!DOCTYPE', at))
    return 'has a document type (<!DOCTYPE …>), which a logo may not have'
  if (body.startsWith('<![CDATA[', at)) return 'has a CDATA section, which a logo may not have'
  if (body.startsWith('<?', at))
    return 'has a processing instruction (<?…?>), which a logo may not have'
  return `is not well-formed XML at ${short(body.slice(at))}`
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces the entities of XML itself. @returns undefined when there is another one */
function plainText(text: string): string | undefined {
  let isKnown = true
  const plain = text.replace(
    /&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|\w+)?;?/gi,
    (whole, name: string = '') => {
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
      const isNumber = name.startsWith('#') && code > 0 && code <= 0x10ffff
      const value = isNumber
        ? String.fromCodePoint(code)
        : Object.hasOwn(named, name)
          ? named[name]
          : undefined
      if (value === undefined || !whole.endsWith(';')) isKnown = false
      return value ?? ''
    },
  )
  return isKnown ? plain : undefined
}

function short(text: string): string {
  return JSON.stringify(text.trim().slice(0, 40))
}
