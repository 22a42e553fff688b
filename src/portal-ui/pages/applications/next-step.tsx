import { Anchor, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useKeys, useSubscriptions } from '../../api/applications.ts'
import { type ApplicationTab, tabPath } from './tab-path.ts'

export interface NextStepProps {
  readonly applicationId: string
  /** Where one is; the step is not pointed out on its own tab. */
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
      <Step>
        This application may not call anything yet.{' '}
        <Anchor component={Link} href={tabPath(applicationId, 'subscriptions')} underline="always">
          Subscribe it to an API version
        </Anchor>
      </Step>
    )
  }
  if (isSubscribed && !hasKey && tab !== 'keys') {
    return (
      <Step>
        This application has no key that works.{' '}
        <Anchor component={Link} href={tabPath(applicationId, 'keys')} underline="always">
          Create a key
        </Anchor>
      </Step>
    )
  }
  return null
}

function Step({ children }: { readonly children: ReactNode }) {
  return (
    <Paper withBorder px="lg" py="md" role="status">
      <Text fw={600} component="span">
        Next step:{' '}
      </Text>
      {children}
    </Paper>
  )
}
