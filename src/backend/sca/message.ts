import type { MessageId, PartValues, Words } from '../../messages/format.ts'
import { type Html, html } from './html.ts'

/** The values of a message: texts and markup for arguments, and functions that surround the content of tags. */
export type MarkupValues = Readonly<
  Record<string, string | number | Html | ((content: Html) => Html)>
>

/** A message as markup. A text keeps its own direction in any surroundings; `<b>` becomes `<strong>`. */
export function message(words: Words, id: MessageId, values: MarkupValues = {}): Html {
  const shown = Object.entries({ b: strong, ...values }).map(([name, value]) => [
    name,
    typeof value === 'string' ? isolated(value) : typeof value === 'function' ? tag(value) : value,
  ])
  return joined(words.parts<Html>(id, Object.fromEntries(shown) as PartValues<Html>))
}

/** A text between others that may have the opposite direction. */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

const strong = (content: Html) => html`<strong>${content}</strong>`

function tag(surround: (content: Html) => Html) {
  return (content: (string | Html)[]) => surround(joined(content))
}

function joined(parts: readonly (string | Html)[]): Html {
  return html`${parts.map((part) => (typeof part === 'string' ? html`${part}` : part))}`
}
