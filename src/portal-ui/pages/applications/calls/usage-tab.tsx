import { Stack } from '@mantine/core'
import { AskForCalls } from '../limits/ask-for-calls.tsx'
import { LiveSection } from '../limits/live-section.tsx'
import { HistorySection } from './history-section.tsx'

/** What is left of each limit, the usage so far, and requests for more calls. */
export function UsageTab({ applicationId }: { readonly applicationId: string }) {
  return (
    <Stack gap="md">
      <LiveSection applicationId={applicationId} />
      <HistorySection applicationId={applicationId} />
      <AskForCalls applicationId={applicationId} />
    </Stack>
  )
}
