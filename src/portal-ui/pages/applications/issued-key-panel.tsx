import { Alert, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { CopyLine } from '../../components/copy-line.tsx'
import { Time } from '../../components/time.tsx'
import classes from './applications.module.css'
import { FirstCall } from './first-call.tsx'
import type { PageMemory } from './page-memory.ts'
import { ReadAccounts, useReadableVersion } from './read-accounts.tsx'
import { ReadyCommand } from './ready-command.tsx'

export interface IssuedKeyPanelProps {
  readonly applicationId: string
  readonly issued: IssuedKey
  /** The key it replaced, after a rotation. */
  readonly replaced: Key | undefined
  readonly memory: PageMemory
  readonly onPutAway: () => void
}

/** A new key, shown only once, with a command to try it and the first call that arrives. */
export function IssuedKeyPanel(props: IssuedKeyPanelProps) {
  const { applicationId, issued, replaced, memory, onPutAway } = props
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
  useWarningBeforeLeaving(!isStored)

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
          <Title
            ref={title}
            tabIndex={-1}
            order={2}
            id="issued-key-title"
            className={classes['title'] ?? ''}
          >
            New key: <bdi>{issued.name}</bdi>
          </Title>
          {replaced === undefined ? null : <Replaced replaced={replaced} />}
          {isStored ? (
            <Text>
              <Code>{issued.hint}</Code> is no longer shown. Until you leave or reload this page, it
              is filled in on the tab Try it.
            </Text>
          ) : (
            <>
              <Alert color="amber" title="The portal shows the key only now">
                Store it where your program finds it, for example in a secret manager. If you lose
                it, rotate it.
              </Alert>
              <CopyLine text={issued.key} label="key" isProminent />
              <Group>
                <Button variant="default" onClick={store}>
                  I have stored it
                </Button>
              </Group>
            </>
          )}
        </Stack>
        {version === undefined ? null : (
          <ReadAccounts
            applicationId={applicationId}
            apiKey={issued.key}
            memory={memory}
            version={version}
          />
        )}
        {isStored ? null : (
          <details className={classes['details']} open={version === undefined}>
            <summary>Call from your terminal</summary>
            <ReadyCommand applicationId={applicationId} apiKey={issued.key} />
          </details>
        )}
        <FirstCall applicationId={applicationId} keyId={issued.id} />
        {isStored ? (
          <Group>
            <Button variant="default" onClick={onPutAway}>
              Close this panel
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Paper>
  )
}

function Replaced({ replaced }: { readonly replaced: Key }) {
  const { hint, state, expiresAt } = replaced
  return (
    <Text>
      It replaces <Code>{hint}</Code>,{' '}
      {state === 'replaced' && expiresAt !== null ? (
        <>
          which works until <Time at={expiresAt} />.
        </>
      ) : (
        'which no longer works.'
      )}
    </Text>
  )
}

/** Lets the browser ask before the page is left: what is not stored is lost. */
function useWarningBeforeLeaving(isWarning: boolean): void {
  useEffect(() => {
    if (!isWarning) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isWarning])
}
