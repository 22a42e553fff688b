import type { History } from '../../portal/api/schemas/usage.ts'
import { t } from '../words.ts'

/** What the sentence needs of a history. */
interface SummedHistory extends Pick<History, 'step'> {
  readonly total: Pick<History['total'], 'admitted' | 'clientErrors' | 'errors' | 'refused'>
}

/**
 * A history in words: how many calls were allowed, how these ended, and how many were refused. A
 * history by day is that of 30 days, one by hour that of 24 hours.
 */
export function historySentence({
  step,
  total: { admitted, clientErrors, errors, refused },
}: SummedHistory): string {
  const id = step === 'day' ? 'usage.sentenceMonth' : 'usage.sentenceDay'
  return t(id, { admitted, clientErrors, errors, refused })
}
