import { isLeftInEnglish, languageFacts } from '../messages/language.ts'
import type { LocalText } from '../portal/api/schemas/catalogue.ts'
import { pageLanguage } from './words.ts'

/** A text of an API's document in the page's language, or in English. */
export function localText(text: LocalText): string {
  return text[pageLanguage()] ?? text.en
}

/** The language of an API document's text as BCP 47 names it; undefined: the page's own. */
export function languageOfText(text: string): 'en' | undefined {
  return isLeftInEnglish(text, pageLanguage()) ? 'en' : undefined
}

/** Attributes of an element around a text of an API's document. */
export function marksOf(text: string): { readonly lang?: 'en'; readonly dir: 'ltr' | 'rtl' } {
  return isLeftInEnglish(text, pageLanguage())
    ? { lang: 'en', dir: 'ltr' }
    : { dir: languageFacts[pageLanguage()].direction }
}
