import { Button, Paper, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { PublishedApis } from '../../../portal/api/schemas/catalogue.ts'
import { useSubscribing } from '../../api/applications.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Form } from '../../components/form.tsx'
import { t } from '../../words.ts'
import classes from './applications.module.css'
import { openVersions, VersionFields } from './try/version-fields.tsx'

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
        <VersionFields open={open} version={version} plan={plan} onChange={form.setValues} />
      </Form>
    </Paper>
  )
}
