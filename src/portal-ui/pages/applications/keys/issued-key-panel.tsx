import { Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { IssuedKey, Key } from '../../../../portal/api/schemas/applications.ts'
import { CopyLine } from '../../../components/copy-line.tsx'
import { Message } from '../../../components/message.tsx'
import { Slow } from '../../../components/slow.tsx'
import { Time } from '../../../components/time.tsx'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import type { PageMemory } from '../page-memory.ts'
import { FirstCall } from '../try/first-call.tsx'
import { ReadAccounts, useReadableVersion } from '../try/read-accounts.tsx'
import { ReadyCommand } from '../try/ready-command.tsx'

export interface IssuedKeyPanelProps {
  readonly applicationId: string
  readonly issued: IssuedKey
  /** What the key is called on the page. */
  readonly name: string
  /** The key it replaced, after a rotation. */
  readonly replaced: Key | undefined
  readonly memory: PageMemory
  readonly onPutAway: () => void
}

/** A new key, shown only once, with a command to try it and the first call that arrives. */
export function IssuedKeyPanel(props: IssuedKeyPanelProps) {
  const { applicationId, issued, name, replaced, memory, onPutAway } = props
  const title = useRef<HTMLHeadingElement>(null)
  const { isStored, noteStored } = memory
  const version = useReadableVersion(applicationId)

  useEffect(() => {
    title.current?.focus()
  }, [])
  const store = () => {
    noteStored()
    // The button goes, and the focus would go with it.
    title.current?.focus()
  }

  const code = isStored ? null : (
    <details className={classes['details']} open={version === null}>
      <summary>{t('issued.terminal')}</summary>
      <ReadyCommand applicationId={applicationId} apiKey={issued.key} />
    </details>
  )

  return (
    <Paper
      component="section"
      aria-labelledby="issued-key-title"
      withBorder
      p="lg"
      className={classes['panel'] ?? ''}
    >
      <Stack gap="lg">
        <Stack gap="sm">
          <Group justify="space-between" gap="sm">
            <Title
              ref={title}
              tabIndex={-1}
              order={2}
              id="issued-key-title"
              className={classes['title'] ?? ''}
            >
              <Message id="issued.title" values={{ name: <bdi>{name}</bdi> }} />
            </Title>
            {isStored ? (
              <Button variant="default" size="compact-sm" onClick={onPutAway}>
                {t('issued.close')}
              </Button>
            ) : null}
          </Group>
          {replaced === undefined ? null : <Replaced replaced={replaced} />}
          {isStored ? (
            <Text>
              <Message id="issued.hidden" values={{ hint: <Code dir="ltr">{issued.hint}</Code> }} />
            </Text>
          ) : (
            <>
              <CopyLine
                text={issued.key}
                label={t('issued.key')}
                isProminent
                beside={
                  <Button variant="default" onClick={store}>
                    {t('issued.stored')}
                  </Button>
                }
              />
              <Text size="sm" c="dimmed">
                <Message
                  id="issued.onlyNow"
                  tags={{ b: (text) => <b className={classes['strong']}>{text}</b> }}
                />
              </Text>
            </>
          )}
        </Stack>
        <div className={classes['part']}>
          <FirstCall applicationId={applicationId} keyId={issued.id}>
            {version === undefined ? (
              <Slow />
            ) : version === null ? (
              code
            ) : (
              <ReadAccounts
                applicationId={applicationId}
                apiKey={issued.key}
                memory={memory}
                version={version}
                keyId={issued.id}
              >
                {code}
              </ReadAccounts>
            )}
          </FirstCall>
        </div>
      </Stack>
    </Paper>
  )
}

function Replaced({ replaced }: { readonly replaced: Key }) {
  const { hint, state, expiresAt } = replaced
  return (
    <Text>
      {state === 'replaced' && expiresAt !== null ? (
        <Message
          id="issued.replacesWorking"
          values={{ hint: <Code dir="ltr">{hint}</Code>, time: <Time at={expiresAt} /> }}
        />
      ) : (
        <Message id="issued.replacesEnded" values={{ hint: <Code dir="ltr">{hint}</Code> }} />
      )}
    </Text>
  )
}
