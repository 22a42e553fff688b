import { Message } from '../../../components/message.tsx'
import { marksOf } from '../../../local-text.ts'
import { pageLanguage, words } from '../../../words.ts'

export interface ProblemDetailProps {
  readonly detail: string
  /** A code of the gateway; the bank's own codes are not explained here. */
  readonly code?: string | undefined
}

/** Why a call failed: what helps, by the code and in the page's language, and what the answer said, in English. */
export function ProblemDetail({ detail, code }: ProblemDetailProps) {
  const answered = (
    <bdi {...marksOf(detail)} data-as-sent>
      {detail}
    </bdi>
  )
  if (pageLanguage() === 'en') return answered
  const advice = `advice.${code}`
  const { knows, t } = words()
  return (
    <>
      {knows(advice) ? `${t(advice)} ` : null}
      <Message id="answer.said" values={{ detail: answered }} />
    </>
  )
}
