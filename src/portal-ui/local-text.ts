import type { LocalText } from '../gateway/portal/schemas/catalogue.ts'
import type { Language } from '../messages/language.ts'
import { pageLanguage } from './words.ts'

/** A text of an API's document in the page's language, or in English. */
export function localText(text: LocalText): string {
  return text[pageLanguage()] ?? text.en
}

/** Languages whose letters tell them from the English of the documents. */
const letters: Readonly<Record<Exclude<Language, 'en'>, RegExp>> = { he: /\p{Script=Hebrew}/u }

/** The language of an API document's text as BCP 47 names it; undefined: the page's own. */
export function languageOfText(text: string): 'en' | undefined {
  const language = pageLanguage()
  return language === 'en' || letters[language].test(text) ? undefined : 'en'
}

/** Attributes of an element around a text of an API's document. */
export function marksOf(text: string): { readonly lang?: 'en'; readonly dir?: 'ltr' } {
  const lang = languageOfText(text)
  return lang === undefined ? {} : { lang, dir: 'ltr' }
}
