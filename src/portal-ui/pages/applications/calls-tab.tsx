import { Stack, Text, Title } from '@mantine/core'
import { useRecentCalls } from '../../api/calls.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { CallLookup } from './call-lookup.tsx'
import { CallRecords } from './call-records.tsx'

/** Records of single calls: one looked up by its request id, and the latest. */
export function CallsTab({ applicationId }: { readonly applicationId: string }) {
  const calls = useRecentCalls(applicationId)
  return (
    <Stack gap="xl">
      <CallLookup applicationId={applicationId} />
      <Stack gap="md">
        <Title order={2}>Recent calls</Title>
        <Text c="dimmed">
          The last 1,000 calls of this application, at most 24 hours old, are kept; the newest 50
          show here.
        </Text>
        <QueryState query={calls} label="Loading the calls …" />
        {calls.data?.items.length === 0 ? (
          <EmptyState title="No calls yet">
            Every call with a key of this application shows here a moment after it ended, refused
            ones too.
          </EmptyState>
        ) : null}
        <CallRecords records={calls.data?.items ?? []} label="Recent calls" />
      </Stack>
    </Stack>
  )
}
