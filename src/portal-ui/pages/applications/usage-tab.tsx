import { Stack } from '@mantine/core'
import { HistorySection } from './history-section.tsx'
import { LiveSection } from './live-section.tsx'

/** How much is left now, and what was called before. */
export function UsageTab({ applicationId }: { readonly applicationId: string }) {
  return (
    <Stack gap="xl">
      <LiveSection applicationId={applicationId} />
      <HistorySection applicationId={applicationId} />
    </Stack>
  )
}
