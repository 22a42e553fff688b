// This folder has one page: the emails of a portal on this machine that has no mail server.

import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core'
import type { MailboxBlock, MailboxMail } from '../../../portal/api/schemas/mailbox.ts'
import { isProblem } from '../../api/client.ts'
import { useMailbox } from '../../api/mailbox.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import classes from './mailbox.module.css'

/** The mails of a portal without a mail server. The newest is open, with its link as a button. */
export function MailboxPage() {
  const mails = useMailbox()
  if (isProblem(mails.error, 'NOT_FOUND')) return <NotFoundPage />
  const [newest, ...older] = mails.data?.items ?? []
  return (
    <Page title={t('mailbox.title')} lead={t('mailbox.lead')}>
      <QueryState query={mails} label={t('mailbox.loading')} />
      {mails.data !== undefined && newest === undefined ? (
        <EmptyState title={t('mailbox.none.title')}>{t('mailbox.none.text')}</EmptyState>
      ) : null}
      {newest === undefined ? null : (
        <Paper
          component="article"
          dir={directionOf(newest.subject)}
          withBorder
          p="xl"
          radius="md"
          className={classes['mail'] ?? ''}
        >
          <Title order={2} size="h3">
            <bdi>{newest.subject}</bdi>
          </Title>
          <Envelope mail={newest} />
          <Blocks blocks={newest.blocks} />
        </Paper>
      )}
      {older.length === 0 ? null : (
        <section aria-labelledby="older-mails">
          <Title order={2} size="h4" id="older-mails" mb="sm">
            {t('mailbox.earlier')}
          </Title>
          <Stack component="ul" gap={0} className={classes['list'] ?? ''}>
            {older.map((mail) => (
              <li key={mail.id}>
                <details className={classes['older']} dir={directionOf(mail.subject)}>
                  <summary>
                    <span className={classes['subject']}>
                      <bdi>{mail.subject}</bdi>
                    </span>
                    <Envelope mail={mail} />
                  </summary>
                  <Blocks blocks={mail.blocks} />
                </details>
              </li>
            ))}
          </Stack>
        </section>
      )}
    </Page>
  )
}

function Envelope({ mail: { to, at } }: { readonly mail: MailboxMail }) {
  return (
    <Text component="span" className={classes['envelope'] ?? ''}>
      <span>
        <Message id="mailbox.to" values={{ to: <bdi key="to">{to}</bdi> }} />
      </span>
      <Text component="span" size="sm" c="dimmed">
        <Time at={at} />
      </Text>
    </Text>
  )
}

/** Labels are written for mails, so they must wrap. */
const longLabel = { root: classes['action'] ?? '', label: classes['label'] ?? '' }

/** Text stays text; only the portal's own links become links. */
function Blocks({ blocks }: { readonly blocks: readonly MailboxBlock[] }) {
  const first = blocks.findIndex(({ href }) => href !== undefined)
  return (
    <Stack gap="sm" align="flex-start" mt="md">
      {blocks.map(({ text, href }, index) => {
        if (href === undefined) {
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a mail never changes
            <Text key={index} dir="auto" className={classes['text'] ?? ''}>
              <bdi>{text}</bdi>
            </Text>
          )
        }
        // Opens as a new document, as from a mail program.
        return index === first ? (
          <Button key={href} component="a" href={href} classNames={longLabel}>
            <bdi>{text}</bdi>
          </Button>
        ) : (
          <Anchor key={href} href={href} underline="always">
            <bdi>{text}</bdi>
          </Anchor>
        )
      })}
    </Stack>
  )
}

/** A mail is read in its own direction, whatever the page's is. */
function directionOf(text: string): 'rtl' | 'ltr' {
  return /\p{Script=Hebrew}/u.test(text) ? 'rtl' : 'ltr'
}
