import { Stack } from '@mantine/core'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { useFacts } from '../../facts.tsx'
import { ApplicationName } from './application-name.tsx'
import { DeleteApplication } from './delete-application.tsx'
import { Certificates } from './keys/certificates.tsx'
import { RedirectOrigins } from './redirect-origins.tsx'
import { SignedCalls } from './signed-calls.tsx'

/** What an application is called, how it calls, and its end: one card each. */
export function SettingsTab({ application }: { readonly application: Application }) {
  const { hasBank } = useFacts()
  return (
    <Stack gap="md">
      <ApplicationName application={application} />
      {hasBank ? (
        <>
          <SignedCalls application={application} />
          <RedirectOrigins application={application} />
        </>
      ) : null}
      <Certificates applicationId={application.id} />
      <DeleteApplication application={application} />
    </Stack>
  )
}
