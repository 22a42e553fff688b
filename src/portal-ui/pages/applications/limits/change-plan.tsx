import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Subscription } from '../../../../portal/api/schemas/applications.ts'
import type { PublishedPlan } from '../../../../portal/api/schemas/catalogue.ts'
import { usePlanChange } from '../../../api/applications.ts'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { t } from '../../../words.ts'
import { PlanChoice } from '../plan-choice.tsx'

export interface ChangePlanProps {
  readonly applicationId: string
  readonly subscription: Subscription
  readonly plans: readonly PublishedPlan[]
  readonly opened: boolean
  readonly onClose: () => void
}

/** Moves the subscription to another plan of the same version; the count continues. */
export function ChangePlan(props: ChangePlanProps) {
  const { applicationId, subscription, plans, opened, onClose } = props
  const form = useForm({ initialValues: { plan: subscription.plan } })
  const change = usePlanChange(applicationId, onClose)
  return (
    <FormDialog
      opened={opened}
      title={t('subscriptions.changePlan')}
      form={form}
      mutation={change}
      onSubmit={({ plan }) => change.mutate({ subscriptionId: subscription.id, plan })}
      onCancel={() => {
        change.reset()
        form.reset()
        onClose()
      }}
      action={t('subscriptions.changePlan')}
      isDisabled={form.values.plan === subscription.plan}
    >
      <Text>{t('subscriptions.stillCount')}</Text>
      <PlanChoice
        plans={plans}
        value={form.values.plan}
        onChange={(plan) => form.setFieldValue('plan', plan)}
      />
    </FormDialog>
  )
}
