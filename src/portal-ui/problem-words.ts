import type { Problem } from '../portal/api/schemas/common.ts'
import { pageLanguage, t, words } from './words.ts'

/** What a problem says in the page's language. */
export interface ProblemWords {
  readonly title: string
  readonly detail: string | undefined
}

/** Codes of the page itself, whose texts are in the page's language already. */
const ownCodes = ['PORTAL_UNREACHABLE', 'ANSWER_UNEXPECTED', 'PASSKEY_FAILED']

/**
 * The API writes English. In another language the page says what it knows by the
 * code of the problem, and by the rule that a change would break.
 */
export function problemWords(problem: Problem): ProblemWords {
  const { code, title, detail, rule = '' } = problem
  if (pageLanguage() === 'en' || ownCodes.includes(code)) return { title, detail }
  const { knows } = words()
  const ofCode = `error.${code}.title`
  const ofRule = `conflict.${rule}`
  return {
    title: t(knows(ofCode) ? ofCode : 'problem.other'),
    detail: knows(ofRule) ? t(ofRule) : undefined,
  }
}

/** What one of our codes means; `answered` is what the service said, in English. */
export function titleOfCode(code: string | undefined, answered: string): string {
  const id = `error.${code}.title`
  return pageLanguage() !== 'en' && words().knows(id) ? t(id) : answered
}

/** {@link problemWords} as one sentence, for a place beside a field. */
export function problemSentence(problem: Problem): string {
  const { title, detail } = problemWords(problem)
  return detail ?? title
}

/** The sentence beside a field that breaks a rule. @param rule completes "must be …", in English */
export function ruleSentence(rule: string): string {
  return pageLanguage() === 'en' ? t('field.mustBe', { rule }) : t('common.checkField')
}
