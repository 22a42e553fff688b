import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { useKeys } from '../../api/applications.ts'
import { useFirstCall } from '../../api/calls.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import classes from './applications.module.css'
import { CheckList } from './check-list.tsx'
import { CreateKey } from './create-key.tsx'
import { IssuedKeyPanel } from './issued-key-panel.tsx'
import { KeyCards } from './key-cards.tsx'
import type { PageMemory } from './page-memory.ts'

export interface KeysTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Keys of an application: the new key, the active keys and the inactive keys. */
export function KeysTab({ applicationId, memory }: KeysTabProps) {
  const keys = useKeys(applicationId)
  const [isCreating, setIsCreating] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const firstUse = useFirstCall(applicationId, memory.shown?.id).data?.items[0]
  const items = (keys.data?.items ?? []).map((key) => usedSince(key, firstUse))
  const working = items.filter(isWorking)
  const ended = items.filter((key) => !isWorking(key))

  const issued = (key: IssuedKey) => {
    memory.issue(key)
    setIsCreating(false)
  }
  const revoked = (keyId: string) => {
    memory.forget(keyId)
    // Its card is gone, and the focus with it.
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
      <CheckList applicationId={applicationId} onHidden={() => title.current?.focus()} />
      <Group justify="space-between" gap="sm">
        <Title ref={title} tabIndex={-1} order={2} className={classes['title'] ?? ''}>
          API keys
        </Title>
        {isCreating || working.length === 0 ? null : createButton}
      </Group>
      {isCreating ? (
        <CreateKey
          applicationId={applicationId}
          suggestedName={`Key ${items.length + 1}`}
          onIssued={issued}
          onCancel={cancel}
        />
      ) : null}
      <QueryState query={keys} label="Loading the keys …" />
      {keys.data !== undefined && working.length === 0 && !isCreating ? (
        <EmptyState
          title={ended.length === 0 ? 'No API keys yet' : 'No working API keys'}
          action={createButton}
        >
          A key identifies this application in every call. You see it once, when you create it: the
          portal stores only its fingerprint.
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

/** A key with its last use; the gateway writes that later than the record of the call. */
function usedSince(key: Key, record: CallRecord | undefined): Key {
  const isFirst = key.lastUsedAt === null && record?.keyId === key.id
  return isFirst ? { ...key, lastUsedAt: record.at } : key
}

function isWorking({ state }: Key): boolean {
  return state === 'active' || state === 'replaced'
}
