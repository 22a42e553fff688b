import { Stack, Title } from '@mantine/core'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { SignedCalls } from './signed-calls.tsx'

/** Settings of an application. */
export function SettingsTab({ application }: { readonly application: Application }) {
  return (
    <Stack gap="lg">
      <Title order={2}>Settings</Title>
      <Stack gap="sm">
        <Title order={3}>Security</Title>
        <SignedCalls application={application} />
      </Stack>
    </Stack>
  )
}
