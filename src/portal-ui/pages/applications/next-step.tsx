import { Button, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useKeys, useSubscriptions } from '../../api/applications.ts'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'
import classes from './applications.module.css'

export interface NextStepProps {
  readonly applicationId: string
  /** The current tab; a step is not shown on its own tab. */
  readonly tab: ApplicationTab
}

/** Points to what is missing before the application can make a call. */
export function NextStep({ applicationId, tab }: NextStepProps) {
  const subscriptions = useSubscriptions(applicationId)
  const keys = useKeys(applicationId)
  if (subscriptions.data === undefined || keys.data === undefined) return null
  const isSubscribed = subscriptions.data.items.length > 0
  const hasKey = keys.data.items.some(({ state }) => state === 'active' || state === 'replaced')

  if (!isSubscribed && tab !== 'subscriptions') {
    return (
      <Step action="Subscribe to an API version" href={tabPath(applicationId, 'subscriptions')}>
        this application cannot call anything yet.
      </Step>
    )
  }
  if (isSubscribed && !hasKey && tab !== 'keys') {
    return (
      <Step action="Go to keys" href={tabPath(applicationId, 'keys')}>
        this application needs a key.
      </Step>
    )
  }
  return null
}

interface StepProps {
  readonly action: string
  readonly href: string
  readonly children: ReactNode
}

function Step({ action, href, children }: StepProps) {
  return (
    <Paper withBorder px="lg" py="md" className={classes['card'] ?? ''}>
      <Group justify="space-between" gap="sm">
        <Text role="status">
          <Text component="span" fw={600} inherit>
            Next step:
          </Text>{' '}
          {children}
        </Text>
        <Button component={Link} href={href}>
          {action}
        </Button>
      </Group>
    </Paper>
  )
}
