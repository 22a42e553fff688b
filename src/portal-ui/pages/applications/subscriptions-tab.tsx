import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import { useKeys, useSubscriptions } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import classes from './applications.module.css'
import { Subscribe } from './subscribe.tsx'
import { SubscriptionCard } from './subscription-card.tsx'
import { tabPath } from './tab-path.ts'

/** What an application may call, on which plan, and how to change that. */
export function SubscriptionsTab({ applicationId }: { readonly applicationId: string }) {
  const subscriptions = useSubscriptions(applicationId)
  const apis = useApis()
  const [isAdding, setIsAdding] = useState(false)
  const [added, setAdded] = useState<Subscription>()
  const trigger = useRef<HTMLButtonElement>(null)
  const error = subscriptions.error ?? apis.error

  if (subscriptions.data === undefined || apis.data === undefined) {
    const retry = () => {
      void subscriptions.refetch()
      void apis.refetch()
    }
    return error === null ? (
      <Slow label="Loading the subscriptions …" />
    ) : (
      <ProblemAlert error={error} onRetry={retry} />
    )
  }

  const active = subscriptions.data.items
  const isFirst = active.length === 0
  const backToTrigger = () => {
    setIsAdding(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }

  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Title order={2}>Subscriptions</Title>
        {isFirst ? null : (
          <Button ref={trigger} onClick={() => setIsAdding(true)} disabled={isAdding}>
            Subscribe to another version
          </Button>
        )}
      </Group>
      <div role="status" className={classes['status']}>
        {added === undefined ? null : <Added applicationId={applicationId} added={added} />}
      </div>
      {isFirst ? (
        <EmptyState title="Not subscribed to anything yet">
          A subscription lets this application call one API version, on the terms of a plan. Each
          version is subscribed to by itself.
        </EmptyState>
      ) : null}
      {isFirst || isAdding ? (
        <Subscribe
          applicationId={applicationId}
          apis={apis.data}
          active={active}
          onSubscribed={(subscription) => {
            setAdded(subscription)
            if (!isFirst) backToTrigger()
          }}
          {...(isFirst ? {} : { onCancel: backToTrigger })}
        />
      ) : null}
      {isFirst ? null : (
        <Stack
          component="ul"
          gap="sm"
          className={classes['list'] ?? ''}
          aria-label="Active subscriptions"
        >
          {active.map((subscription) => (
            <SubscriptionCard
              key={subscription.id}
              applicationId={applicationId}
              subscription={subscription}
              apis={apis.data}
            />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

interface AddedProps {
  readonly applicationId: string
  readonly added: Subscription
}

function Added({ applicationId, added }: AddedProps) {
  const keys = useKeys(applicationId)
  const hasKey = keys.data?.items.some(({ state }) => state === 'active' || state === 'replaced')
  return (
    <Group gap="sm">
      <Text>
        Subscribed to {added.api} {added.version}.{' '}
        {hasKey === false ? 'Next, this application needs a key.' : 'Its keys work for it.'}
      </Text>
      {hasKey === false ? (
        <Button component={Link} href={tabPath(applicationId, 'keys')} size="sm">
          Go to keys
        </Button>
      ) : null}
    </Group>
  )
}
