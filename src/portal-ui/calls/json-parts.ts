/** What a piece of JSON is: the name of a member, a string, a number, a word (`true`, `null`), or anything between. */
export type JsonKind = 'name' | 'string' | 'number' | 'word' | 'other'

export interface JsonPart {
  readonly kind: JsonKind
  readonly text: string
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g

/** Cuts JSON into pieces for colouring. Together they are the text, whatever it is. */
export function jsonParts(text: string): readonly JsonPart[] {
  const parts: JsonPart[] = []
  let end = 0
  const add = (kind: JsonKind, piece: string | undefined) => {
    if (piece !== undefined && piece !== '') parts.push({ kind, text: piece })
  }
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, number, word] = match
    add('other', text.slice(end, match.index))
    add(colon === undefined ? 'string' : 'name', string)
    add('other', colon)
    add('number', number)
    add('word', word)
    end = match.index + whole.length
  }
  add('other', text.slice(end))
  return parts
}

/** A piece of a response's JSON; the value of a link's `href` has its link. */
export interface LinkedPart extends JsonPart {
  readonly link?: { readonly relation: string; readonly href: string }
}

/** Cuts JSON into pieces and finds the links: values of `href`, whose relation is the name before. */
export function linkedParts(text: string): readonly LinkedPart[] {
  let relation = ''
  let name = ''
  return jsonParts(text).map((part) => {
    if (part.kind === 'name') {
      relation = name
      name = part.text.slice(1, -1)
    }
    if (part.kind !== 'string' || name !== 'href') return part
    return { ...part, link: { relation, href: unquoted(part.text) } }
  })
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return ''
  }
}
