import { DocumentText } from '../../../components/document-text.tsx'
import { titleOfCode } from '../../../problem-words.ts'
import { t } from '../../../words.ts'

export interface ProblemTitleProps {
  readonly title?: string | undefined
  /** A code of the gateway; the bank's own codes are not explained here. */
  readonly code?: string | undefined
}

/** The title of a problem by its code, in the page's language; otherwise as a service answered it, in English. */
export function ProblemTitle({ title, code }: ProblemTitleProps) {
  if (title === undefined) return t('answer.refused')
  return <DocumentText text={titleOfCode(code, title)} />
}
