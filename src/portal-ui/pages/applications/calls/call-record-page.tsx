import { Button, Group, List, Text } from '@mantine/core'
import { Link, Redirect, useParams } from 'wouter'
import { pagePaths } from '../../../../portal/pages/page-paths.ts'
import { useCallPlaces } from '../../../api/calls.ts'
import { useOperatedCallPlaces } from '../../../api/operator.ts'
import { useSession } from '../../../api/session.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { Page } from '../../../layout/page.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import { OperatedCall } from './operated-call.tsx'

/**
 * The `log` link of an error opens this page, which leads to the story if the call is the developer's own. Operators
 * see it here for every developer.
 */
export function CallRecordPage() {
  const { requestId } = useParams<{ requestId: string }>()
  const { data: session } = useSession()
  const places = useCallPlaces(requestId)
  const applicationId = places.data?.applicationIds[0]
  const isOperator = session?.developer.isOperator === true
  const isForeign = places.data?.applicationIds.length === 0
  const operated = useOperatedCallPlaces(requestId, isOperator && isForeign)
  if (applicationId !== undefined) {
    const query = new URLSearchParams({ request: requestId })
    return <Redirect to={`${tabPath(applicationId, 'calls')}?${query}`} replace />
  }
  const found = operated.data?.items ?? []
  const shown = isOperator && isForeign ? operated : places
  return (
    <Page title={t('callRecord.title')} width="narrow">
      <QueryState query={shown} label={t('callRecord.looking')} />
      {found.map((application) => (
        <OperatedCall key={application.id} application={application} requestId={requestId} />
      ))}
      {shown.data === undefined || found.length > 0 ? null : (
        <>
          <Text>{t(isOperator ? 'callRecord.noneAtAll' : 'callRecord.none')}</Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('calls.unknownId.late')}</List.Item>
            <List.Item>{t('calls.unknownId.old')}</List.Item>
            <List.Item>{t(isOperator ? 'callRecord.keyless' : 'callRecord.foreign')}</List.Item>
          </List>
          <Group gap="sm">
            <Button onClick={() => void shown.refetch()}>{t('calls.lookAgain')}</Button>
            <Button component={Link} href={pagePaths.applications} variant="default">
              {t('callRecord.applications')}
            </Button>
          </Group>
        </>
      )}
    </Page>
  )
}
