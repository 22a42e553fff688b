import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { LimitOverride } from '../../../gateway/portal/schemas/operator.ts'
import { useOverrideEnd } from '../../api/operator.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { partyInWords } from './audit-words.ts'
import classes from './operator.module.css'
import { OverrideForm } from './override-form.tsx'

export interface OverridesProps {
  readonly applicationId: string
  readonly items: readonly LimitOverride[]
  readonly subscriptions: readonly Subscription[]
}

/** The active limit overrides of an application, and the form that adds one. */
export function Overrides({ applicationId, items, subscriptions }: OverridesProps) {
  const [isAdding, setIsAdding] = useState(false)
  const active = subscriptions.filter(({ endedAt }) => endedAt === null)
  const add =
    active.length === 0 || isAdding ? null : (
      <Button onClick={() => setIsAdding(true)}>Override a limit</Button>
    )
  return (
    <Stack gap="md" component="section">
      <Group justify="space-between">
        <Title order={2}>Limit overrides</Title>
        {items.length === 0 ? null : add}
      </Group>
      {isAdding ? (
        <OverrideForm
          applicationId={applicationId}
          subscriptions={active}
          onDone={() => setIsAdding(false)}
        />
      ) : null}
      {items.length > 0 ? (
        <ul className={classes['list']}>
          {items.map((override) => (
            <li key={override.id} className={classes['row']}>
              <Override applicationId={applicationId} override={override} />
            </li>
          ))}
        </ul>
      ) : isAdding ? null : (
        <EmptyState title="No overrides" action={add}>
          {active.length === 0
            ? 'This application has no subscription, so it has no limits to raise.'
            : 'Raise a limit for this application until a date.'}
        </EmptyState>
      )}
    </Stack>
  )
}

function Override({
  applicationId,
  override,
}: {
  readonly applicationId: string
  readonly override: LimitOverride
}) {
  const { id, api, version, limit, calls, reason, createdBy, createdAt, expiresAt } = override
  const end = useOverrideEnd(applicationId)
  const [opened, { open, close }] = useDisclosure(false, { onOpen: end.reset })
  const subject = `${limit} of ${api} ${version}`
  const by = partyInWords(createdBy)
  return (
    <>
      <div className={classes['who']}>
        <Text fw={600}>
          {wholeNumber(calls)} calls: limit {subject}
        </Text>
        <Text size="sm">
          <bdi>{reason}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          until <Time at={expiresAt} /> · made <Time at={createdAt} /> by {by.noun.toLowerCase()}{' '}
          <bdi>{by.id}</bdi>
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        aria-label={`End the override of ${subject}`}
        onClick={open}
      >
        End
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title="End this override?"
        action="End override"
        isDangerous
        onConfirm={() => end.mutate(id, { onSuccess: close })}
        mutation={end}
      >
        <Text>
          The limit {subject} of the plan applies again within a second. Calls already counted stay
          counted.
        </Text>
      </Confirm>
    </>
  )
}
