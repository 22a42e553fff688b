import { Stack } from '@mantine/core'
import type { OperatedApplication } from '../../../../portal/api/schemas/operator.ts'
import { operatorApplicationPath } from '../../../../portal/pages/page-paths.ts'
import { useOperatedCalls } from '../../../api/operator.ts'
import { Message } from '../../../components/message.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { t } from '../../../words.ts'
import { CallStory } from './call-story.tsx'

export interface OperatedCallProps {
  readonly application: OperatedApplication
  readonly requestId: string
}

/** The calls of another developer's application with an X-Request-ID, for an operator. */
export function OperatedCall({ application, requestId }: OperatedCallProps) {
  const { id, name, developerEmail } = application
  const found = useOperatedCalls(id, requestId)
  return (
    <SectionCard
      title={
        <TextLink href={operatorApplicationPath(id)} inherit>
          <bdi>{name}</bdi>
        </TextLink>
      }
    >
      <Stack gap="md">
        <span>
          <Message id="callRecord.madeBy" values={{ email: <bdi>{developerEmail}</bdi> }} />
        </span>
        <QueryState query={found} label={t('calls.looking')} />
        {found.data?.items.map((record) => (
          <CallStory key={record.at} applicationId={undefined} record={record} />
        ))}
      </Stack>
    </SectionCard>
  )
}
