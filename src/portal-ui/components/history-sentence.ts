import type { History } from '../../portal/api/schemas/usage.ts'
import { t } from '../words.ts'

/** What the sentence needs of a history. */
interface SummedHistory extends Pick<History, 'step'> {
  readonly total: Pick<History['total'], 'admitted' | 'errors' | 'refused'>
}

/**
 * A history in words: how many calls were allowed, failed and refused. A
 * history by day is that of 30 days, one by hour that of 24 hours.
 */
export function historySentence({
  step,
  total: { admitted, errors, refused },
}: SummedHistory): string {
  const id = step === 'day' ? 'usage.sentenceMonth' : 'usage.sentenceDay'
  return t(id, { admitted, errors, refused })
}
