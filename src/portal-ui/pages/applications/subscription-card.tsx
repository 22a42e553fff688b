import { Anchor, Badge, Button, Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedApis } from '../../../gateway/portal/schemas/catalogue.ts'
import { useSubscriptionEnd } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Message } from '../../components/message.tsx'
import { Time } from '../../components/time.tsx'
import { limitInWords } from '../../in-words.ts'
import { publishedVersion, versionPath } from '../../published.ts'
import { t } from '../../words.ts'
import classes from './applications.module.css'
import { ChangePlan } from './change-plan.tsx'

export interface SubscriptionCardProps {
  readonly applicationId: string
  readonly subscription: Subscription
  readonly apis: PublishedApis
  readonly onEnded: () => void
}

/** One active subscription: its version, its plan in words, and how to change or end it. */
export function SubscriptionCard(props: SubscriptionCardProps) {
  const { applicationId, subscription, apis, onEnded } = props
  const [dialog, setDialog] = useState<'plan' | 'end'>()
  const { api, version, plan: planName, createdAt } = subscription
  const published = publishedVersion(apis, subscription)
  const plans = published?.plans ?? []
  const plan = plans.find(({ name }) => name === planName)
  const title = (
    <bdi>
      {published?.title ?? api} {version}
    </bdi>
  )
  const close = () => setDialog(undefined)

  return (
    <Paper component="li" withBorder p="lg" className={classes['card'] ?? ''}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Group gap="sm" className={classes['name'] ?? ''}>
          <Title order={2} size="h3">
            {published === undefined ? (
              title
            ) : (
              <Anchor component={Link} href={versionPath(api, version)} inherit>
                {title}
              </Anchor>
            )}
          </Title>
          <StateBadge published={published} />
        </Group>
        <Group gap="xs">
          {plans.length > 1 ? (
            <Button size="sm" variant="default" onClick={() => setDialog('plan')}>
              {t('subscriptions.changePlan')}
            </Button>
          ) : null}
          <Button size="sm" variant="light" color="red" onClick={() => setDialog('end')}>
            {t('subscriptions.end')}
          </Button>
        </Group>
      </Group>
      <Text mt="xs">
        {plan === undefined ? (
          <bdi>{planName}</bdi>
        ) : (
          <Message
            id="subscriptions.plan"
            values={{
              plan: <bdi>{plan.title}</bdi>,
              limits: plan.limits.map(limitInWords).join('; '),
            }}
          />
        )}
      </Text>
      {plan === undefined || plan.description === '' ? null : (
        <Text size="sm" c="dimmed" mt={4}>
          <bdi>{plan.description}</bdi>
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        <Message id="subscriptions.since" values={{ time: <Time at={createdAt} /> }} />
      </Text>
      <ChangePlan
        applicationId={applicationId}
        subscription={subscription}
        plans={plans}
        opened={dialog === 'plan'}
        onClose={close}
      />
      <End
        applicationId={applicationId}
        subscription={subscription}
        title={title}
        opened={dialog === 'end'}
        onClose={close}
        onEnded={onEnded}
      />
    </Paper>
  )
}

interface StateBadgeProps {
  readonly published: { readonly isDeprecated: boolean; readonly isRetired: boolean } | undefined
}

function StateBadge({ published }: StateBadgeProps) {
  if (published === undefined) return <Badge color="gray">{t('subscriptions.unpublished')}</Badge>
  if (published.isRetired) {
    return <Badge color="red">{t('lifecycle.retired')}</Badge>
  }
  if (published.isDeprecated) {
    return <Badge color="amber">{t('lifecycle.deprecated')}</Badge>
  }
  return <Badge color="green">{t('subscriptions.stateActive')}</Badge>
}

interface EndProps {
  readonly applicationId: string
  readonly subscription: Subscription
  readonly title: ReactNode
  readonly opened: boolean
  readonly onClose: () => void
  readonly onEnded: () => void
}

function End({ applicationId, subscription, title, opened, onClose, onEnded }: EndProps) {
  const ending = useSubscriptionEnd(applicationId, () => {
    onClose()
    onEnded()
  })
  const close = () => {
    ending.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('subscriptions.endTitle')}
      action={t('subscriptions.end')}
      isDangerous
      onConfirm={() => ending.mutate(subscription.id)}
      mutation={ending}
    >
      <Text>
        <Message id="subscriptions.endMeans" values={{ name: title }} />
      </Text>
    </Confirm>
  )
}
