import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedPlan } from '../../../gateway/portal/schemas/catalogue.ts'
import { usePlanChange } from '../../api/applications.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { PlanChoice } from './plan-choice.tsx'

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
  const [plan, setPlan] = useState(subscription.plan)
  const change = usePlanChange(applicationId, onClose)
  const close = () => {
    change.reset()
    setPlan(subscription.plan)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Change plan"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (change.isPending) return
          change.mutate({ subscriptionId: subscription.id, plan })
        }}
      >
        <Stack gap="md">
          <Text>Calls that you have already made still count.</Text>
          <PlanChoice plans={plans} value={plan} onChange={setPlan} />
          <ProblemAlert error={change.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={plan === subscription.plan}>
              Change plan
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
