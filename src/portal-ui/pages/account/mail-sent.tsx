import { Alert, Code, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFacts } from '../../facts.tsx'

/** Says that a mail is on its way, and where it is when the portal has no mail server. */
export function MailSent({ children }: { readonly children: ReactNode }) {
  const { writesMailsToFiles } = useFacts()
  return (
    <Stack gap="md" role="status">
      <Text>{children}</Text>
      <Text c="dimmed">
        The link works once, and for ten minutes. If no mail comes, look among the unwanted ones and
        check the address.
      </Text>
      {writesMailsToFiles ? (
        <Alert color="gray" title="This portal sends no mails">
          It has no mail server, so each mail becomes a file in the folder <Code>outbox</Code> of
          its data folder (<Code>data/outbox</Code> unless set otherwise). Open the newest one for
          the link.
        </Alert>
      ) : null}
    </Stack>
  )
}
