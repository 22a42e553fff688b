import { Button, Group } from '@mantine/core'
import type { BrandFacts } from '../../gateway/portal/schemas/brand.ts'
import { useTermsAcceptance } from '../api/profile.ts'
import { Message } from '../components/message.tsx'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { useBrandName } from '../facts.tsx'
import { t } from '../words.ts'
import { Page } from './page.tsx'

export interface TermsQuestionProps {
  readonly terms: NonNullable<BrandFacts['terms']>
}

/** Stands in place of a page until a developer whom no sign-up asked accepts the terms: they signed in through the provider, say. */
export function TermsQuestion({ terms }: TermsQuestionProps) {
  const name = useBrandName()
  const acceptance = useTermsAcceptance()
  return (
    <Page
      title={t('shell.terms')}
      lead={
        <Message
          id="terms.ask"
          values={{ name: <bdi>{name}</bdi> }}
          tags={{
            link: (text) => (
              <a href={terms.url} target="_blank" rel="noreferrer">
                {text}
              </a>
            ),
          }}
        />
      }
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
