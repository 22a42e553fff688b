import { readXml, type XmlElement } from './read-xml.ts'

type Size = { readonly width: number; readonly height: number }

/**
 * Checks that an SVG only draws: it has elements and attributes that draw, and
 * refers to nothing outside of itself. Everything else is refused, even what is
 * harmless, because a list of what is dangerous is never complete.
 */
export function checkSvg(content: Buffer): Size | { readonly fault: string } {
  const text = decode(content)
  if (text === undefined) return { fault: 'is neither a PNG nor an SVG in UTF-8' }
  const elements = readXml(text)
  if ('fault' in elements) return elements
  const [root] = elements
  if (root?.name !== 'svg')
    return { fault: 'is neither a PNG nor an SVG: it must begin with <svg>' }
  for (const element of elements) {
    const fault = faultOf(element)
    if (fault !== undefined) return { fault }
  }
  return sizeOf(root.attributes)
}

function decode(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

const drawing = new Set(
  `svg g defs symbol use title desc metadata style path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer
  feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
  feOffset`.split(/\s+/),
)

const svgNamespace = 'http://www.w3.org/2000/svg'

function faultOf({ name, attributes, text }: XmlElement): string | undefined {
  if (!drawing.has(name)) return `has the element <${name}>; a logo has only elements that draw`
  const sheet = name === 'style' ? (unplainStyle(text) ?? foreignAddress(text)) : undefined
  if (sheet !== undefined) return sheet
  for (const [attribute, value] of attributes) {
    const local = attribute.replace(/^.*:/, '')
    if (/^on/i.test(local)) return `has the event attribute ${attribute}; a logo has no script`
    if (attribute === 'xmlns' && value !== svgNamespace) {
      return `has the namespace ${JSON.stringify(value)}; it must be ${svgNamespace}`
    }
    if (/^(href|src|base)$/i.test(local) && !value.trim().startsWith('#')) return refersTo(value)
    if (attribute.startsWith('xmlns')) continue
    const foreign = (local === 'style' ? unplainStyle(value) : undefined) ?? foreignAddress(value)
    if (foreign !== undefined) return foreign
  }
  return undefined
}

/** Escapes could spell anything, and rules with "@" load other files. */
function unplainStyle(css: string): string | undefined {
  return /[@\\]|image-set|expression\s*\(/i.test(css)
    ? 'has a style that could load or run something; a logo has only plain rules'
    : undefined
}

/** The first foreign address in a style or an attribute. */
function foreignAddress(value: string): string | undefined {
  for (const [, address = ''] of value.matchAll(/url\s*\(\s*["']?\s*([^)]*)/gi)) {
    if (!address.startsWith('#')) return refersTo(address)
  }
  return /(?:java|vb)script:/i.test(value) ? refersTo(value) : undefined
}

function refersTo(address: string): string {
  return `refers to ${JSON.stringify(address.slice(0, 80))}; a logo refers only to its own parts (#…)`
}

/** From the viewBox, or width and height: without them the width of the logo is unknown. */
function sizeOf(attributes: XmlElement['attributes']): Size | { readonly fault: string } {
  const box = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [width = Number.NaN, height = Number.NaN] =
    box.length === 4
      ? box.slice(2)
      : ['width', 'height'].map((side) =>
          Number((attributes.get(side) ?? '').replace(/px$/, '') || Number.NaN),
        )
  return width > 0 && height > 0 && width < 100_000 && height < 100_000
    ? { width, height }
    : { fault: 'says no size: <svg> needs a viewBox such as "0 0 120 32"' }
}
