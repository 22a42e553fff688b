import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { LimitOverride } from '../../../portal/api/schemas/operator.ts'
import { useApis } from '../../api/catalogue.ts'
import { useOverrideEnd } from '../../api/operator.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { Time } from '../../components/time.tsx'
import { limitOfVersion } from '../../published.ts'
import { nameAsText, t } from '../../words.ts'
import { Party } from './audit-words.tsx'
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
      <Button onClick={() => setIsAdding(true)}>{t('overrides.add')}</Button>
    )
  return (
    <Stack gap="md" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('overrides.title')}</Title>
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
        <EmptyState title={t('plans.noOverrides')} action={add}>
          {t(active.length === 0 ? 'overrides.noSubscription' : 'overrides.help')}
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
  const { id, calls, reason, createdBy, createdByName, createdAt, expiresAt } = override
  const end = useOverrideEnd(applicationId)
  const [opened, { open, close }] = useDisclosure(false, { onOpen: end.reset })
  const { data: apis } = useApis()
  const subject = { limit: nameAsText(limitOfVersion(apis, override)) }
  return (
    <>
      <div className={classes['who']}>
        <Text fw={600}>{t('overrides.calls', { calls, ...subject })}</Text>
        <Text size="sm">
          <bdi>{reason}</bdi>
        </Text>
        <Text size="sm" c="dimmed" component="div">
          <Message
            id="overrides.made"
            values={{
              until: <Time at={expiresAt} isShort />,
              time: <ShortTime at={createdAt} />,
              by: <Party party={createdBy} name={createdByName} />,
            }}
          />
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        aria-label={t('overrides.endNamed', subject)}
        onClick={open}
      >
        {t('overrides.end')}
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title={t('overrides.endTitle')}
        action={t('overrides.endAction')}
        isDangerous
        onConfirm={() => end.mutate(id, { onSuccess: close })}
        mutation={end}
      >
        <Text>{t('overrides.endMeans', subject)}</Text>
      </Confirm>
    </>
  )
}
