import english from './en.json' with { type: 'json' }
import { createWords, type Words } from './format.ts'
import hebrew from './he.json' with { type: 'json' }
import type { Language } from './language.ts'

const words: Readonly<Record<Language, Words>> = {
  en: createWords('en', english),
  he: createWords('he', hebrew),
}

/** Writes messages in a language, on the server. */
export function wordsOf(language: Language): Words {
  return words[language]
}
