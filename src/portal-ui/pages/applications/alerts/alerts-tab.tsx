// This folder has the tab for what an application is warned of, by email and by webhook.

import { Stack, Title, VisuallyHidden } from '@mantine/core'
import { useAlerts } from '../../../api/alerts.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { t } from '../../../words.ts'
import { AlertSwitches } from './alert-switches.tsx'
import { Webhook } from './webhook.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookSamples } from './webhook-samples.tsx'

/** What an application is warned of, by email and by webhook. */
export function AlertsTab({ applicationId }: { readonly applicationId: string }) {
  const alerts = useAlerts(applicationId)
  if (alerts.data === undefined) return <QueryState query={alerts} label={t('alerts.loading')} />
  const { webhook, isLocalWebhookAllowed } = alerts.data
  return (
    <Stack gap="md">
      <VisuallyHidden>
        <Title order={2}>{t('alerts.title')}</Title>
      </VisuallyHidden>
      <AlertSwitches applicationId={applicationId} alerts={alerts.data} />
      <Webhook
        applicationId={applicationId}
        webhook={webhook}
        isLocalAllowed={isLocalWebhookAllowed}
      />
      {webhook === null ? null : <WebhookDeliveries applicationId={applicationId} />}
      <WebhookSamples />
    </Stack>
  )
}
