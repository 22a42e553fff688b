import { Button, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import { useKeyCreation, useKeys, useSubscriptions } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { Message } from '../../components/message.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { HeadingActions } from '../../layout/heading-actions.tsx'
import { focusPageHeading } from '../../layout/page-heading.ts'
import { versionTitle } from '../../published.ts'
import { tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import classes from './applications.module.css'
import { AskForCalls } from './limits/ask-for-calls.tsx'
import type { PageMemory } from './page-memory.ts'
import { Subscribe } from './subscribe.tsx'
import { SubscriptionTable } from './subscription-table.tsx'

export interface SubscriptionsTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** The subscriptions of an application and their plans. The first subscription also creates the first key. */
export function SubscriptionsTab({ applicationId, memory }: SubscriptionsTabProps) {
  const subscriptions = useSubscriptions(applicationId)
  const keys = useKeys(applicationId)
  const apis = useApis()
  const [, navigate] = useLocation()
  const firstKey = useKeyCreation(applicationId, (key) => {
    memory.issue(key)
    navigate(tabPath(applicationId, 'keys'))
  })
  const [isAdding, setIsAdding] = useState(false)
  const [added, setAdded] = useState<Subscription>()
  const trigger = useRef<HTMLButtonElement>(null)
  if (subscriptions.data === undefined || keys.data === undefined || apis.data === undefined) {
    const all = [subscriptions, keys, apis]
    const error = subscriptions.error ?? keys.error ?? apis.error
    const refetch = () => Promise.all(all.map((query) => query.refetch()))
    const query = { isPending: error === null, error, refetch }
    return <QueryState query={query} label={t('subscriptions.loading')} />
  }

  const active = subscriptions.data.items
  const isFirst = active.length === 0
  const bringsKey = isFirst && keys.data.items.length === 0
  const backToTrigger = () => {
    setIsAdding(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }

  return (
    <Stack gap="lg">
      <ProblemAlert error={memory.problem} />
      {isFirst ? null : (
        <HeadingActions>
          <Button ref={trigger} onClick={() => setIsAdding(true)} disabled={isAdding}>
            {t('subscriptions.another')}
          </Button>
        </HeadingActions>
      )}
      <div role="status" className={classes['status']}>
        {added === undefined ? null : (
          <Message
            id="subscriptions.added"
            values={{ name: <bdi>{versionTitle(apis.data, added)}</bdi> }}
          />
        )}
      </div>
      <ProblemAlert error={firstKey.error} />
      {isFirst ? (
        <Text c="dimmed" maw="44rem">
          {t('subscriptions.means')}
        </Text>
      ) : null}
      {isFirst || isAdding ? (
        <Subscribe
          applicationId={applicationId}
          apis={apis.data}
          active={active}
          action={t(bringsKey ? 'subscriptions.subscribeAndKey' : 'subscriptions.subscribe')}
          isBusy={firstKey.isPending}
          onSubscribed={(subscription) => {
            setAdded(subscription)
            if (bringsKey) firstKey.mutate({ name: t('keys.suggested', { number: 1 }) })
            if (isFirst) focusPageHeading()
            else backToTrigger()
          }}
          {...(isFirst ? {} : { onCancel: backToTrigger })}
        />
      ) : null}
      {isFirst ? null : (
        <SubscriptionTable
          applicationId={applicationId}
          subscriptions={active}
          apis={apis.data}
          onEnded={() => {
            setAdded(undefined)
            // Its row is gone, and the focus with it.
            focusPageHeading()
          }}
        />
      )}
      <AskForCalls applicationId={applicationId} />
    </Stack>
  )
}
