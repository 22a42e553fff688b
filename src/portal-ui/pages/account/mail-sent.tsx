import { Anchor, Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { Message } from '../../components/message.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'

export interface MailSentProps {
  /** Names the address and what the link in the mail does. */
  readonly children: ReactNode
  /** Shows the form again. */
  readonly onAgain: () => void
}

/** Says where to find the mail that the portal has sent. */
export function MailSent({ children, onAgain }: MailSentProps) {
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
        <Text>
          <Message
            id="mailSent.again"
            tags={{
              link: (text) => (
                <Anchor component="button" type="button" underline="always" onClick={onAgain}>
                  {text}
                </Anchor>
              ),
            }}
          />
        </Text>
      </Stack>
    </Page>
  )
}
