import { createWords, type MessageId, type MessageValues, type Words } from '../messages/format.ts'
import { isLanguage, type Language, languageFacts } from '../messages/language.ts'

let loaded: Words | undefined

/** Loads the messages; before the first render. */
export async function loadWords(): Promise<void> {
  const language = pageLanguage()
  const messages =
    language === 'he' ? await import('../messages/he.json') : await import('../messages/en.json')
  loaded = createWords(language, messages.default)
}

/** The language of the document: the server chose it, and only another document has another one. */
export function pageLanguage(): Language {
  const { lang } = document.documentElement
  return isLanguage(lang) ? lang : 'en'
}

/** Asks for texts of the API's documents in the page's language; empty for English, which all are written in. */
export function languageQuery(): string {
  return pageLanguage() === 'en' ? '' : `?language=${pageLanguage()}`
}

/** For `Intl`: dates and numbers follow the page, not the browser. */
export function pageLocale(): string {
  return languageFacts[pageLanguage()].locale
}

/** A name from outside as text where no element can surround it, such as a choice of a list; nothing turns around in it. */
export function nameAsText(name: string): string {
  const isLtr = languageFacts[pageLanguage()].direction === 'ltr'
  // FIRST STRONG ISOLATE and its end (UAX #9).
  return isLtr ? name : `\u2068${name}\u2069`
}

/** The messages that are loaded. */
export function words(): Words {
  if (loaded === undefined) throw new Error('messages are only known after loadWords()')
  return loaded
}

/** The message of that id, if there is one: for ids that come from the portal. */
export function knownMessage(id: string): MessageId | undefined {
  return words().knows(id) ? id : undefined
}

/** A message in the page's language, as text. Not to be called while modules load. */
export function t(id: MessageId, values?: MessageValues): string {
  return words().t(id, values)
}
