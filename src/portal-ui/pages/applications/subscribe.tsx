import { Button, NativeSelect, Paper, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedApis } from '../../../gateway/portal/schemas/catalogue.ts'
import { useSubscribing } from '../../api/applications.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Form } from '../../components/form.tsx'
import { t } from '../../words.ts'
import classes from './applications.module.css'
import { PlanChoice } from './plan-choice.tsx'
import { versionName } from './subscribed-versions.ts'

export interface SubscribeProps {
  readonly applicationId: string
  readonly apis: PublishedApis
  readonly active: readonly Subscription[]
  /** Label of the button. */
  readonly action: string
  /** Whether the step after the subscription is in progress. */
  readonly isBusy: boolean
  readonly onSubscribed: (subscription: Subscription) => void
  readonly onCancel?: () => void
}

/** The form that subscribes an application: an API version, then one of its plans. */
export function Subscribe(props: SubscribeProps) {
  const { applicationId, apis, active, action, isBusy, onSubscribed, onCancel } = props
  const open = openVersions(apis, active)
  const form = useForm({ initialValues: { version: '', plan: '' } })
  const subscribing = useSubscribing(applicationId, onSubscribed)
  const version = open.find(({ name }) => name === form.values.version) ?? open[0]
  if (version === undefined) {
    return (
      <EmptyState
        title={t('subscriptions.all')}
        action={
          onCancel === undefined ? undefined : (
            <Button variant="default" onClick={onCancel}>
              {t('common.close')}
            </Button>
          )
        }
      >
        {t('subscriptions.allMeans')}
      </EmptyState>
    )
  }
  const plan = version.plans.find(({ name }) => name === form.values.plan) ?? version.plans[0]

  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Form
        form={form}
        mutation={{ ...subscribing, isPending: subscribing.isPending || isBusy }}
        onSubmit={() => {
          if (plan === undefined) return
          subscribing.mutate({ api: version.api, version: version.version, plan: plan.name })
        }}
        action={action}
        onCancel={onCancel}
      >
        <Title order={2} size="h3">
          {t('subscriptions.new')}
        </Title>
        <NativeSelect
          label={t('plans.version')}
          value={version.name}
          onChange={(event) => form.setValues({ version: event.currentTarget.value, plan: '' })}
          data={open.map((each) => ({ value: each.name, label: versionName(each) }))}
          maw="30rem"
        />
        <Text size="sm" c="dimmed" maw="44rem">
          <bdi>{version.summary}</bdi>
        </Text>
        {version.isDeprecated ? (
          <Text size="sm">
            {version.lifecycle.successor === undefined
              ? t('subscriptions.deprecated')
              : t('subscriptions.deprecatedPrefer', { successor: version.lifecycle.successor })}
          </Text>
        ) : null}
        <PlanChoice
          plans={version.plans}
          value={plan?.name ?? ''}
          onChange={(name) => form.setFieldValue('plan', name)}
        />
      </Form>
    </Paper>
  )
}

/** Versions open to a subscription: deprecated ones last, then those of the largest API first, newest first. */
function openVersions({ items }: PublishedApis, active: readonly Subscription[]) {
  return items
    .flatMap(({ api, versions }) =>
      versions
        .toReversed()
        .map((version) => ({ ...version, api, name: `${api}@${version.version}` })),
    )
    .filter(({ isRetired, plans }) => !isRetired && plans.length > 0)
    .filter(
      ({ api, version }) => !active.some((each) => each.api === api && each.version === version),
    )
    .toSorted(
      (a, b) =>
        Number(a.isDeprecated) - Number(b.isDeprecated) ||
        b.operations.length - a.operations.length,
    )
}
