import type { LocalText } from '../gateway/portal/schemas/catalogue.ts'
import { pageLanguage } from './words.ts'

/** A text of an API's document in the page's language, or in English. */
export function localText(text: LocalText): string {
  return text[pageLanguage()] ?? text.en
}
