import { Button, Group, List, Text } from '@mantine/core'
import { Link, Redirect, useParams } from 'wouter'
import { pagePaths } from '../../../../portal/pages/page-paths.ts'
import { useCallPlaces } from '../../../api/calls.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { Page } from '../../../layout/page.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'

/** The `log` link of an error opens this page, which leads to the story if the call is the developer's own. */
export function CallRecordPage() {
  const { requestId } = useParams<{ requestId: string }>()
  const places = useCallPlaces(requestId)
  const applicationId = places.data?.applicationIds[0]
  if (applicationId !== undefined) {
    const query = new URLSearchParams({ request: requestId })
    return <Redirect to={`${tabPath(applicationId, 'calls')}?${query}`} replace />
  }
  return (
    <Page title={t('callRecord.title')} width="narrow">
      <QueryState query={places} label={t('callRecord.looking')} />
      {places.data === undefined ? null : (
        <>
          <Text>{t('callRecord.none')}</Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('calls.unknownId.late')}</List.Item>
            <List.Item>{t('calls.unknownId.old')}</List.Item>
            <List.Item>{t('callRecord.foreign')}</List.Item>
          </List>
          <Group gap="sm">
            <Button onClick={() => void places.refetch()}>{t('calls.lookAgain')}</Button>
            <Button component={Link} href={pagePaths.applications} variant="default">
              {t('callRecord.applications')}
            </Button>
          </Group>
        </>
      )}
    </Page>
  )
}
