import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core'
import type { MailboxBlock, MailboxMail } from '../../../gateway/portal/schemas/mailbox.ts'
import { isProblem } from '../../api/client.ts'
import { useMailbox } from '../../api/mailbox.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import classes from './mailbox.module.css'

/** The mails of a portal without a mail server. The newest is open, with its link as a button. */
export function MailboxPage() {
  const mails = useMailbox()
  if (isProblem(mails.error, 'NOT_FOUND')) return <NotFoundPage />
  const [newest, ...older] = mails.data?.items ?? []
  return (
    <Page
      title="Mailbox"
      lead="This portal runs on your machine and has no mail server. The emails it would send, to any address, appear here."
    >
      <QueryState query={mails} label="Loading the emails …" />
      {mails.data !== undefined && newest === undefined ? (
        <EmptyState title="No emails yet">New emails appear here automatically.</EmptyState>
      ) : null}
      {newest === undefined ? null : (
        <Paper component="article" withBorder p="xl" radius="md" className={classes['mail'] ?? ''}>
          <Title order={2} size="h3">
            {newest.subject}
          </Title>
          <Envelope mail={newest} />
          <Blocks blocks={newest.blocks} />
        </Paper>
      )}
      {older.length === 0 ? null : (
        <section aria-labelledby="older-mails">
          <Title order={2} size="h4" id="older-mails" mb="sm">
            Earlier emails
          </Title>
          <Stack component="ul" gap={0} className={classes['list'] ?? ''}>
            {older.map((mail) => (
              <li key={mail.id}>
                <details className={classes['older']}>
                  <summary>
                    <span className={classes['subject']}>{mail.subject}</span>
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
        To <bdi>{to}</bdi>
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
            <Text key={index} className={classes['text'] ?? ''}>
              {text}
            </Text>
          )
        }
        // Opens as a new document, as from a mail program.
        return index === first ? (
          <Button key={href} component="a" href={href} classNames={longLabel}>
            {text}
          </Button>
        ) : (
          <Anchor key={href} href={href} underline="always">
            {text}
          </Anchor>
        )
      })}
    </Stack>
  )
}
