import { Button } from '@mantine/core'
import type { BrandFacts } from '../../portal/api/schemas/brand.ts'
import { useTermsAcceptance } from '../api/profile.ts'
import { useSession } from '../api/session.ts'
import { Message } from '../components/message.tsx'
import { NoticeLine } from '../components/notice-line.tsx'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { plainLink } from '../components/text-link.tsx'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'

/**
 * Notifies signed-in developers of changed terms, and operators of any terms; everything works without an answer. A first
 * question replaces the page.
 */
export function TermsNotice() {
  const { terms } = useFacts().brand
  const developer = useSession().data?.developer
  if (terms === null || developer === undefined) return null
  if (developer.acceptedTerms?.version === terms.version) return null
  if (developer.acceptedTerms === null && !developer.isOperator) return null
  return <Notice terms={terms} hasAcceptedOthers={developer.acceptedTerms !== null} />
}

interface NoticeProps {
  readonly terms: NonNullable<BrandFacts['terms']>
  /** Whether the developer accepted an earlier version. */
  readonly hasAcceptedOthers: boolean
}

function Notice({ terms, hasAcceptedOthers }: NoticeProps) {
  const acceptance = useTermsAcceptance()
  return (
    <>
      <NoticeLine tone="accent">
        <Message
          id={hasAcceptedOthers ? 'terms.changed' : 'terms.toAccept'}
          tags={{ link: plainLink(terms.url, { inherit: true }) }}
        />{' '}
        <Button
          size="xs"
          variant="default"
          loading={acceptance.isPending}
          onClick={() => acceptance.mutate({ version: terms.version })}
        >
          {t('terms.acceptNow')}
        </Button>
      </NoticeLine>
      <ProblemAlert error={acceptance.error} />
    </>
  )
}
