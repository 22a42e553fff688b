import { Button, Group } from '@mantine/core'
import type { BrandFacts } from '../../portal/api/schemas/brand.ts'
import { useTermsAcceptance } from '../api/profile.ts'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { TermsSentence } from '../components/terms-sentence.tsx'
import { t } from '../words.ts'
import { Page } from './page.tsx'

export interface TermsQuestionProps {
  readonly terms: NonNullable<BrandFacts['terms']>
}

/**
 * Replaces a page until the developer accepts the terms, if no sign-up asked for them, for example after a first sign-in
 * through the provider.
 */
export function TermsQuestion({ terms }: TermsQuestionProps) {
  const acceptance = useTermsAcceptance()
  return (
    <Page
      title={t('shell.terms')}
      lead={<TermsSentence id="terms.ask" terms={terms} />}
      width="narrow"
    >
      <ProblemAlert error={acceptance.error} />
      <Group>
        <Button
          loading={acceptance.isPending}
          onClick={() => acceptance.mutate({ version: terms.version })}
        >
          {t('terms.acceptNow')}
        </Button>
      </Group>
    </Page>
  )
}
