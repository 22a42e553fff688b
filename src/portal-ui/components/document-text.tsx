import { marksOf } from '../local-text.ts'

/** A short text of an API's document, isolated; marked as English on a page in another language if it has no translation. */
export function DocumentText({ text }: { readonly text: string }) {
  return <bdi {...marksOf(text)}>{text}</bdi>
}
