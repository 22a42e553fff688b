import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'

export interface MailSentProps {
  /** Names the address and what the link in the mail does. */
  readonly children: ReactNode
}

/** Says where to find the mail that the portal has sent. */
export function MailSent({ children }: MailSentProps) {
  const { writesMailsToFiles, hasMailbox } = useFacts()
  return (
    <Page title={t('mailSent.title')} width="narrow" isNew>
      <Stack gap="md" align="flex-start" role="status">
        <Text>{children}</Text>
        {hasMailbox ? (
          <Button component={Link} href={pagePaths.mailbox}>
            {t('mailSent.open')}
          </Button>
        ) : (
          <Text c="dimmed">
            {t(writesMailsToFiles ? 'mailSent.askOperator' : 'mailSent.checkInbox')}
          </Text>
        )}
        <Text c="dimmed">{t('mailSent.linkRules')}</Text>
      </Stack>
    </Page>
  )
}
