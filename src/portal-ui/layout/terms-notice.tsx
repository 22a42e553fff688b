import { Anchor, Button } from '@mantine/core'
import type { BrandFacts } from '../../portal/api/schemas/brand.ts'
import { useTermsAcceptance } from '../api/profile.ts'
import { Message } from '../components/message.tsx'
import { NoticeLine } from '../components/notice-line.tsx'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { t } from '../words.ts'

export interface TermsNoticeProps {
  readonly terms: NonNullable<BrandFacts['terms']>
  /** Whether the developer accepted an earlier version. */
  readonly hasAcceptedOthers: boolean
}

/** Asks a signed-in developer to accept the current terms; everything works without an answer. */
export function TermsNotice({ terms, hasAcceptedOthers }: TermsNoticeProps) {
  const acceptance = useTermsAcceptance()
  return (
    <>
      <NoticeLine tone="accent">
        <Message
          id={hasAcceptedOthers ? 'terms.changed' : 'terms.toAccept'}
          tags={{
            link: (text) => (
              <Anchor href={terms.url} inherit underline="always">
                {text}
              </Anchor>
            ),
          }}
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
