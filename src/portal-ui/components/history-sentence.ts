import type { History } from '../../portal/api/schemas/usage.ts'
import { t } from '../words.ts'

interface SummedHistory extends Pick<History, 'step'> {
  readonly total: Pick<History['total'], 'admitted' | 'errors' | 'refused'>
}

/** The history in words: how many calls were forwarded, failed and refused. */
export function historySentence({ step, total }: SummedHistory): string {
  const { admitted, errors, refused } = total
  return t(step === 'day' ? 'usage.sentenceMonth' : 'usage.sentenceDay', {
    admitted,
    errors,
    refused,
  })
}
