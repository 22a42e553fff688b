import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'

export interface MailSentProps {
  /** Names the address and what the link in the mail does. */
  readonly children: ReactNode
}

/** Says where to find the mail that the portal has sent. */
export function MailSent({ children }: MailSentProps) {
  const { writesMailsToFiles, hasMailbox } = useFacts()
  return (
    <Page title="Check your email" width="narrow" isNew>
      <Stack gap="md" align="flex-start" role="status">
        <Text>{children}</Text>
        {hasMailbox ? (
          <Button component={Link} href={pagePaths.mailbox}>
            Open the email
          </Button>
        ) : null}
        <Text c="dimmed">
          {hasMailbox ? null : `${whereToLook(writesMailsToFiles)} `}
          The link works once and expires after ten minutes.
        </Text>
      </Stack>
    </Page>
  )
}

function whereToLook(writesMailsToFiles: boolean): string {
  return writesMailsToFiles
    ? 'This portal has no mail server: ask its operator for the link.'
    : 'Check your inbox and your spam folder.'
}
