import { Button, Group, Stack, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedApis } from '../../../gateway/portal/schemas/catalogue.ts'
import { useSubscriptions } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import classes from './applications.module.css'
import { Subscribe } from './subscribe.tsx'
import { SubscriptionCard } from './subscription-card.tsx'

/** What an application may call, on which plan, and how to change that. */
export function SubscriptionsTab({ applicationId }: { readonly applicationId: string }) {
  const subscriptions = useSubscriptions(applicationId)
  const apis = useApis()
  const [isAdding, setIsAdding] = useState(false)
  const [added, setAdded] = useState<Subscription>()
  const trigger = useRef<HTMLButtonElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
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
        <Title ref={title} tabIndex={-1} order={2} className={classes['title'] ?? ''}>
          Subscriptions
        </Title>
        {isFirst ? null : (
          <Button ref={trigger} onClick={() => setIsAdding(true)} disabled={isAdding}>
            Subscribe to another version
          </Button>
        )}
      </Group>
      <div role="status" className={classes['status']}>
        {added === undefined ? null : `Subscribed to ${titleOf(added, apis.data)}.`}
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
            if (isFirst) title.current?.focus()
            else backToTrigger()
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
              onEnded={() => {
                setAdded(undefined)
                // Its card is gone, and the focus would be with it.
                title.current?.focus()
              }}
            />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

function titleOf({ api, version }: Subscription, { items }: PublishedApis): string {
  return `${items.find((each) => each.api === api)?.title ?? api} ${version}`
}
