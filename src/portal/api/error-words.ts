import hebrewHelp from '../../messages/error-help.he.json' with { type: 'json' }
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'

/** What an error means, for a reader. */
export interface ErrorWords {
  readonly status: number
  readonly title: string
  /** What happened and what the caller can do about it. */
  readonly help: string
}

/**
 * Help in languages other than English, which is in the error table. It is not among the messages, because the
 * page never shows it and should not load it.
 */
const translatedHelp: Readonly<
  Record<Exclude<Language, 'en'>, Readonly<Record<ErrorCode, string>>>
> = { he: hebrewHelp }

/** Every error of the table in a language, in the order of the table. */
export function errorWords(language: Language): ReadonlyMap<ErrorCode, ErrorWords> {
  return new Map(errorCodes.map((code) => [code, wordsOfError(code, language)]))
}

/** What one error means in a language. */
export function wordsOfError(code: ErrorCode, language: Language): ErrorWords {
  const { status, title, help } = errors[code]
  if (language === 'en') return { status, title, help }
  const { t } = wordsOf(language)
  return { status, title: t(`error.${code}.title`), help: translatedHelp[language][code] }
}

// The keys of a constant are its codes.
const errorCodes = Object.keys(errors) as readonly ErrorCode[]

/** Whether the error table has the code. Checks own members only: "toString" is not a code. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}
