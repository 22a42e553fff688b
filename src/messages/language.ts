// This folder holds every text that people read, in each language: `en.json` and `he.json` in ICU MessageFormat, with
// the same ids and arguments. `format.ts` turns an id and its values into text; `words.ts` loads the files on the
// server, `src/portal-ui/words.ts` in the browser. A new language is a file here and a row in the table below.

/** The languages that people can choose; each has a file of messages. */
export const languages = ['en', 'he'] as const

export type Language = (typeof languages)[number]

interface LanguageFacts {
  /** Its own name, as its speakers write it. */
  readonly name: string
  /** For dates and numbers (BCP 47). */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
}

export const languageFacts: Readonly<Record<Language, LanguageFacts>> = {
  en: { name: 'English', locale: 'en-GB', direction: 'ltr' },
  he: { name: 'עברית', locale: 'he-IL', direction: 'rtl' },
}

/** Languages that their script distinguishes from English. */
const letters: Readonly<Record<Exclude<Language, 'en'>, RegExp>> = { he: /\p{Script=Hebrew}/u }

/** Whether a text is still in English where the reader's language is another one: a document without a translation. */
export function isLeftInEnglish(text: string, language: Language): boolean {
  return language !== 'en' && !letters[language].test(text)
}

/** Name of the cookie with a person's choice. */
export const languageCookie = 'language'

/** Seconds for which a browser keeps that choice: a year. */
export const languageCookieSeconds = 365 * 86_400

export function isLanguage(text: string | undefined): text is Language {
  return languages.some((language) => language === text)
}

/** The parts of a request that determine the language. */
export interface LanguageHeaders {
  readonly cookie?: string | undefined
  readonly 'accept-language'?: string | undefined
}

/** The language for a request: the person's choice, then the browser's order of preference, then English. */
export function languageOf(headers: LanguageHeaders): Language {
  return chosenLanguage(headers.cookie) ?? preferredLanguage(headers['accept-language']) ?? 'en'
}

/** The language that a person chose in this browser. */
export function chosenLanguage(cookie = ''): Language | undefined {
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=')
    if (name === languageCookie && isLanguage(value)) return value
  }
  return undefined
}

/** The first of our languages in the order of `Accept-Language` (RFC 9110, 12.5.4); `iw` is the old code of Hebrew. */
function preferredLanguage(header = ''): Language | undefined {
  const ranges = header.slice(0, 1_000).split(',').map(readRange)
  const ordered = ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return ordered.map(({ language }) => language).find(isLanguage)
}

function readRange(range: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const [language = ''] = tag.split('-')
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return {
    language: language === 'iw' ? 'he' : language,
    weight: Number.isNaN(weight) ? 0 : weight,
  }
}
