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
  /** The name of the key as the page shows it. */
  readonly name: string
  /** The key it replaced, after a rotation. */
  readonly replaced: Key | undefined
  readonly memory: PageMemory
  /** Called when the developer closes the panel, which is possible once the key is stored. */
  readonly onPutAway: () => void
}

/** A new key, shown only here and until the developer has stored it, and the first call with it. */
export function IssuedKeyPanel(props: IssuedKeyPanelProps) {
  const { applicationId, issued, name, replaced, memory, onPutAway } = props
  const { isStored, noteStored } = memory
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    title.current?.focus()
  }, [])
  const hide = () => {
    noteStored()
    // The button goes, and the focus would go with it.
    title.current?.focus()
  }

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
            <ShownKey apiKey={issued.key} onStored={hide} />
          )}
        </Stack>
        <div className={classes['part']}>
          <FirstCall applicationId={applicationId} keyId={issued.id}>
            <WaysToCall applicationId={applicationId} issued={issued} memory={memory} />
          </FirstCall>
        </div>
      </Stack>
    </Paper>
  )
}

/** The key itself, to copy, with the button that says that it is stored. */
function ShownKey({
  apiKey,
  onStored,
}: {
  readonly apiKey: string
  readonly onStored: () => void
}) {
  return (
    <>
      <CopyLine
        text={apiKey}
        label={t('issued.key')}
        isProminent
        beside={
          <Button variant="default" onClick={onStored}>
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
  )
}

/** One click where the sandbox has accounts to read, and a command for the terminal until the key is hidden. */
function WaysToCall({
  applicationId,
  issued,
  memory,
}: Pick<IssuedKeyPanelProps, 'applicationId' | 'issued' | 'memory'>) {
  const version = useReadableVersion(applicationId)
  if (version === undefined) return <Slow />
  const command = memory.isStored ? null : (
    <details className={classes['details']} open={version === null}>
      <summary>{t('issued.terminal')}</summary>
      <ReadyCommand applicationId={applicationId} apiKey={issued.key} />
    </details>
  )
  if (version === null) return command
  return (
    <ReadAccounts
      applicationId={applicationId}
      apiKey={issued.key}
      memory={memory}
      version={version}
      keyId={issued.id}
    >
      {command}
    </ReadAccounts>
  )
}

/** Which key the new one replaced, and how long that key works. */
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
