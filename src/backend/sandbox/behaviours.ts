import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import type { PsuBehaviour } from '../domain/psu.ts'

/** The behaviour of a sandbox customer in words, for docs/sandbox.md, `tollgate sandbox customers` and pages. */
export function behaviourWords(behaviour: PsuBehaviour, language: Language = 'en'): string {
  return wordsOf(language).t(`behaviour.${behaviour}`)
}
