import {
  createWords,
  type MessageId,
  type Messages,
  type MessageValues,
  type Words,
} from '../messages/format.ts'
import { isLanguage, type Language, languageFacts } from '../messages/language.ts'

let messages: Partial<Messages> = {}
let loaded: Words | undefined

/** Some messages of a language. */
interface MessagePart {
  readonly messages: Partial<Messages>
}

/** Loads the messages of the first page and of what surrounds every page; before the first render. */
export async function loadFirstWords(): Promise<void> {
  add(
    pageLanguage() === 'he'
      ? await import('../messages/he.json?first')
      : await import('../messages/en.json?first'),
  )
}

/**
 * A script with the messages that it needs besides the first. The build writes this
 * around each import on demand (`build/page-messages.ts`).
 */
export async function withWords<Script>(
  script: Promise<Script>,
  parts: Readonly<Record<Language, () => Promise<MessagePart>>>,
): Promise<Script> {
  const [loadedScript, part] = await Promise.all([script, parts[pageLanguage()]()])
  add(part)
  return loadedScript
}

function add(more: MessagePart): void {
  messages = { ...messages, ...more.messages }
  // A script asks only for those that loaded with it.
  loaded = createWords(pageLanguage(), messages as Messages)
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
  if (loaded === undefined) throw new Error('messages are only known after loadFirstWords()')
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
