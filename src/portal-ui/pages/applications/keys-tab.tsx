import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { useKeys } from '../../api/applications.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import classes from './applications.module.css'
import { CreateKey } from './create-key.tsx'
import { IssuedKeyPanel } from './issued-key-panel.tsx'
import { KeyCards } from './key-cards.tsx'
import type { PageMemory } from './page-memory.ts'

export interface KeysTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Keys of an application: the one just made, the ones that work, the ones that no longer do. */
export function KeysTab({ applicationId, memory }: KeysTabProps) {
  const keys = useKeys(applicationId)
  const [isCreating, setIsCreating] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const items = keys.data?.items ?? []
  const working = items.filter(isWorking)
  const ended = items.filter((key) => !isWorking(key))

  const issued = (key: IssuedKey) => {
    memory.issue(key)
    setIsCreating(false)
  }
  const revoked = (keyId: string) => {
    memory.forget(keyId)
    // Its card is gone, and the focus would be with it.
    title.current?.focus()
  }
  const cancel = () => {
    setIsCreating(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }
  const cards = { applicationId, all: items, onIssued: memory.issue, onRevoked: revoked }
  const createButton = (
    <Button ref={trigger} onClick={() => setIsCreating(true)}>
      Create key
    </Button>
  )

  return (
    <Stack gap="lg">
      {memory.shown === undefined ? null : (
        <IssuedKeyPanel
          key={memory.shown.id}
          applicationId={applicationId}
          issued={memory.shown}
          replaced={items.find(({ replacedBy }) => replacedBy === memory.shown?.id)}
          memory={memory}
          onPutAway={() => {
            memory.putAway()
            title.current?.focus()
          }}
        />
      )}
      <Group justify="space-between" gap="sm">
        <Title ref={title} tabIndex={-1} order={2} className={classes['title'] ?? ''}>
          API keys
        </Title>
        {isCreating || working.length === 0 ? null : createButton}
      </Group>
      {isCreating ? (
        <CreateKey applicationId={applicationId} onIssued={issued} onCancel={cancel} />
      ) : null}
      {keys.isPending ? <Slow label="Loading the keys …" /> : null}
      <ProblemAlert error={keys.error} onRetry={() => void keys.refetch()} />
      {keys.data !== undefined && working.length === 0 && !isCreating ? (
        <EmptyState title="No key works at the moment" action={createButton}>
          A key identifies this application with every call. It is shown once, when it is made; the
          portal keeps only a fingerprint of it.
        </EmptyState>
      ) : null}
      {working.length === 0 ? null : <KeyCards {...cards} label="Keys that work" keys={working} />}
      {ended.length === 0 ? null : (
        <details className={classes['details']}>
          <summary>
            Keys that no longer work{' '}
            <Text component="span" c="dimmed">
              ({ended.length})
            </Text>
          </summary>
          <Box mt="xs">
            <KeyCards {...cards} label="Keys that no longer work" keys={ended} />
          </Box>
          {keys.data?.next === undefined ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              Older ones are not listed.
            </Text>
          )}
        </details>
      )}
    </Stack>
  )
}

function isWorking({ state }: Key): boolean {
  return state === 'active' || state === 'replaced'
}
