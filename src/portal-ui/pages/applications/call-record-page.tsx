import { Button, List, Text } from '@mantine/core'
import { Link, Redirect, useParams } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useCallPlaces } from '../../api/calls.ts'
import { QueryState } from '../../components/query-state.tsx'
import { Page } from '../../layout/page.tsx'
import { tabPath } from '../../tab-path.ts'

/** The `log` link of an error opens this page, which leads to the record if the call is the developer's own. */
export function CallRecordPage() {
  const { requestId } = useParams<{ requestId: string }>()
  const places = useCallPlaces(requestId)
  const applicationId = places.data?.applicationIds[0]
  if (applicationId !== undefined) {
    const query = new URLSearchParams({ request: requestId })
    return <Redirect to={`${tabPath(applicationId, 'calls')}?${query}`} replace />
  }
  return (
    <Page title="Record of a call" width="narrow">
      <QueryState query={places} label="Looking for the call …" />
      {places.data === undefined ? null : (
        <>
          <Text>None of your applications has a call with this request id. Possible reasons:</Text>
          <List size="sm" spacing={4}>
            <List.Item>The call ended a moment ago. Look again in a few seconds.</List.Item>
            <List.Item>It is older than 24 hours, or more than 1,000 calls followed it.</List.Item>
            <List.Item>
              It was made without a valid key, or with a key of another account.
            </List.Item>
          </List>
          <Button variant="default" onClick={() => void places.refetch()}>
            Look again
          </Button>
          <Button component={Link} href={pagePaths.applications} variant="subtle">
            Your applications
          </Button>
        </>
      )}
    </Page>
  )
}
