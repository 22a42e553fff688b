import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { EmptyState } from '../../../components/empty-state.tsx'
import { focusPageHeading } from '../../../layout/page-heading.ts'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import type { PageMemory } from '../page-memory.ts'
import { CheckList } from './check-list.tsx'
import { useMissing } from './next-step.tsx'
import { useCheckList } from './use-check-list.ts'

export interface BeforeFirstCallProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** What leads to the first call, in place of figures that all say nothing. */
export function BeforeFirstCall({ applicationId, memory }: BeforeFirstCallProps) {
  const list = useCheckList(applicationId, { isEarly: true })
  const missing = useMissing(applicationId)
  if (list !== undefined) {
    return (
      <CheckList
        applicationId={applicationId}
        memory={memory}
        isEarly
        onHidden={() => focusPageHeading()}
      />
    )
  }
  const next = missing ?? 'playground'
  return (
    <EmptyState
      title={t('calls.none')}
      action={
        <Button component={Link} href={tabPath(applicationId, next)}>
          {t(`appOverview.first.${next}`)}
        </Button>
      }
    >
      {t(`appOverview.first.${next}Why`)}
    </EmptyState>
  )
}
