import type { History } from '../../../gateway/portal/schemas/usage.ts'
import { t } from '../../words.ts'

/** The history in words: how many calls were forwarded, failed and refused. */
export function historySentence({ step, total }: History): string {
  const { admitted, errors, refused } = total
  return t(step === 'day' ? 'usage.sentenceMonth' : 'usage.sentenceDay', {
    admitted,
    errors,
    refused,
  })
}
