import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { PublishedPlan } from '../../../gateway/portal/schemas/catalogue.ts'
import { usePlanChange } from '../../api/applications.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { limitInWords } from '../../in-words.ts'

export interface ChangePlanProps {
  readonly applicationId: string
  readonly subscription: Subscription
  readonly plans: readonly PublishedPlan[]
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks for another plan of the same version; the count goes on. */
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
          <Text>The change has no gap, and what is counted in this window stays counted.</Text>
          <Radio.Group label="Plan" value={plan} onChange={(name) => setPlan(name)}>
            <Stack gap="xs" mt={6}>
              {plans.map(({ name, title, limits }) => (
                <Radio
                  key={name}
                  value={name}
                  label={title}
                  description={limits.map(limitInWords).join('; ')}
                />
              ))}
            </Stack>
          </Radio.Group>
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
