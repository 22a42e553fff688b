import type { Language } from '../../messages/language.ts'

/** What asks a public text for a language: nothing for English, which an address without a language gives. */
export function languageQuery(language: Language): string {
  return language === 'en' ? '' : `?language=${language}`
}
