// This folder has an application's keys and certificates. This file is their tab. `key-dialog.tsx` opens the dialog of
// each action, `issued-key-panel.tsx` shows a new key once, and `handed-key.ts` passes it to the next page. A key is
// never stored in the browser.

import { Box, Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { IssuedKey, Key } from '../../../../portal/api/schemas/applications.ts'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useKeys } from '../../../api/applications.ts'
import { useFirstCall } from '../../../api/calls.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { keyLabel } from '../../../components/key-label.ts'
import { Message } from '../../../components/message.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { HeadingActions } from '../../../layout/heading-actions.tsx'
import { focusPageHeading } from '../../../layout/page-heading.ts'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import type { PageMemory } from '../page-memory.ts'
import { CreateKey } from './create-key.tsx'
import { isWorking } from './is-working.ts'
import { IssuedKeyPanel } from './issued-key-panel.tsx'
import { KeyTable } from './key-table.tsx'

export interface KeysTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Keys of an application: the new key, the active keys and the inactive keys. */
export function KeysTab({ applicationId, memory }: KeysTabProps) {
  const keys = useKeys(applicationId)
  const [isCreating, setIsCreating] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const firstUse = useFirstCall(applicationId, memory.shown?.id).data?.items[0]
  const items = (keys.data?.items ?? []).map((key) => usedSince(key, firstUse))
  const working = items.filter(isWorking)
  const ended = items.filter((key) => !isWorking(key))

  // The list may be older than the call.
  const firstId = firstUse?.requestId
  const { refetch } = keys
  useEffect(() => {
    if (firstId !== undefined) void refetch()
  }, [firstId, refetch])

  // One thing at a time: another key can be created once this one is dismissed.
  const isShowing = memory.shown !== undefined
  const issued = (key: IssuedKey) => {
    memory.issue(key)
    setIsCreating(false)
  }
  const revoked = (keyId: string) => {
    memory.forget(keyId)
    // Its row is gone, and the focus with it.
    focusPageHeading()
  }
  const cancel = () => {
    setIsCreating(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }
  const rows = { applicationId, all: items, onIssued: memory.issue, onRevoked: revoked }
  const createButton = (
    <Button ref={trigger} onClick={() => setIsCreating(true)}>
      {t('keys.create')}
    </Button>
  )

  return (
    <Stack gap="lg">
      {memory.shown === undefined ? null : (
        <IssuedKeyPanel
          key={memory.shown.id}
          applicationId={applicationId}
          issued={memory.shown}
          name={keyLabel(memory.shown, items)}
          replaced={items.find(({ replacedBy }) => replacedBy === memory.shown?.id)}
          memory={memory}
          onPutAway={() => {
            memory.putAway()
            focusPageHeading()
          }}
        />
      )}
      {isCreating || isShowing || working.length === 0 ? null : (
        <HeadingActions>{createButton}</HeadingActions>
      )}
      {isCreating ? (
        <CreateKey
          applicationId={applicationId}
          suggestedName={t('keys.suggested', { number: items.length + 1 })}
          onIssued={issued}
          onCancel={cancel}
        />
      ) : null}
      <QueryState query={keys} label={t('keys.loading')} />
      {keys.data !== undefined && working.length === 0 && !isCreating && !isShowing ? (
        <EmptyState
          title={t(ended.length === 0 ? 'keys.noneYet' : 'keys.noneWorking')}
          action={createButton}
        >
          {t('keys.noneMeans')}
        </EmptyState>
      ) : null}
      {working.length === 0 ? null : (
        <KeyTable {...rows} label={t('keys.working')} keys={working} />
      )}
      {ended.length === 0 ? null : (
        <details className={classes['details']}>
          <summary>
            <Message
              id="keys.endedCount"
              values={{ count: ended.length }}
              tags={{ dim: (text) => <span className={classes['dimmed']}>{text}</span> }}
            />
          </summary>
          <Box mt="xs">
            <KeyTable {...rows} label={t('keys.ended')} keys={ended} />
          </Box>
          {keys.data?.next === undefined ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              {t('keys.older')}
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
