import { Anchor, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { PublishedApis, PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { useSubscriptionEnd } from '../../api/applications.ts'
import { Confirm } from '../../components/confirm.tsx'
import { DataTable, RowActions, RowName } from '../../components/data-table.tsx'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { RowMenu, type RowMenuItem } from '../../components/row-menu.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { useDialog } from '../../components/use-dialog.ts'
import { limitInWords } from '../../in-words.ts'
import { publishedVersion, versionPath, versionTitle } from '../../published.ts'
import { nameAsText, t } from '../../words.ts'
import { ChangePlan } from './limits/change-plan.tsx'
import classes from './subscription-table.module.css'

export interface SubscriptionTableProps extends Omit<SubscriptionRowProps, 'subscription'> {
  readonly subscriptions: readonly Subscription[]
}

/** Active subscriptions, a row each: version, plan in words, and what can be done behind "⋯". */
export function SubscriptionTable({ subscriptions, ...row }: SubscriptionTableProps) {
  return (
    <DataTable
      label={t('subscriptions.active')}
      columns={[
        { name: 'version', label: t('plans.version') },
        { name: 'plan', label: t('plans.plan'), narrow: 'below' },
        { name: 'since', label: t('subscriptions.begun') },
        { name: 'actions', label: '' },
      ]}
    >
      {subscriptions.map((subscription) => (
        <SubscriptionRow key={subscription.id} subscription={subscription} {...row} />
      ))}
    </DataTable>
  )
}

interface SubscriptionRowProps {
  readonly applicationId: string
  readonly subscription: Subscription
  readonly apis: PublishedApis
  readonly onEnded: () => void
}

function SubscriptionRow(props: SubscriptionRowProps) {
  const { applicationId, subscription, apis, onEnded } = props
  const dialog = useDialog<'plan' | 'end'>()
  const [, navigate] = useLocation()
  const { id, api, version, plan: planName, createdAt } = subscription
  const published = publishedVersion(apis, subscription)
  const plans = published?.plans ?? []
  const plan = plans.find(({ name }) => name === planName)
  const title = versionTitle(apis, subscription)
  const successor = published?.isDeprecated ? published.lifecycle.successor : undefined
  const shared = { applicationId, subscription, opened: dialog.isOpen, onClose: dialog.close }
  const name = nameAsText(title)
  const items: readonly (RowMenuItem | undefined)[] = [
    plans.length > 1
      ? {
          label: t('subscriptions.changePlan'),
          name: t('subscriptions.changePlanNamed', { name }),
          onChoose: () => dialog.open('plan'),
        }
      : undefined,
    successor === undefined
      ? undefined
      : {
          label: t('subscriptions.move', { successor }),
          name: t('subscriptions.moveNamed', { successor, name }),
          onChoose: () => navigate(`/applications/${applicationId}/move/${id}`),
        },
    {
      label: t('subscriptions.end'),
      name: t('subscriptions.endNamed', { name }),
      onChoose: () => dialog.open('end'),
    },
  ]

  return (
    <Table.Tr>
      <RowName>
        <span className={classes['version']}>
          {published === undefined ? (
            <bdi>{title}</bdi>
          ) : (
            <Anchor component={Link} href={versionPath(api, version)} inherit>
              <bdi>{title}</bdi>
            </Anchor>
          )}
          <State published={published} />
        </span>
      </RowName>
      <Table.Td className={classes['plan'] ?? ''}>
        <bdi>{plan?.title ?? planName}</bdi>
        {plan === undefined ? null : (
          <Text size="sm" c="dimmed">
            {plan.limits.map(limitInWords).join('; ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <ShortTime at={createdAt} />
      </Table.Td>
      <RowActions>
        <RowMenu
          label={t('keys.actionsFor', { name })}
          items={items.filter((item) => item !== undefined)}
        />
        {dialog.name === 'plan' ? <ChangePlan {...shared} plans={plans} /> : null}
        {dialog.name === 'end' ? (
          <End {...shared} title={<bdi>{title}</bdi>} onEnded={onEnded} />
        ) : null}
      </RowActions>
    </Table.Tr>
  )
}

function State({ published }: { readonly published: PublishedVersion | undefined }) {
  if (published === undefined) return <Pill tone="neutral">{t('subscriptions.unpublished')}</Pill>
  if (published.isRetired) return <Pill tone="bad">{t('lifecycle.retired')}</Pill>
  if (published.isDeprecated) return <Pill tone="warn">{t('lifecycle.deprecated')}</Pill>
  return (
    <Pill tone="ok" hasDot>
      {t('subscriptions.stateActive')}
    </Pill>
  )
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
