import { Counter, type Registry } from 'prom-client'

/** `retried`: an attempt failed and will be repeated. `given-up`: failed for a day. */
export const webhookResults = ['delivered', 'retried', 'given-up'] as const
export type WebhookResult = (typeof webhookResults)[number]

export interface WebhookMetrics {
  count(result: WebhookResult): void
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const webhooks = new Counter({
    name: 'portal_webhooks_total',
    help: 'Attempts to send an event to a webhook, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of webhookResults) webhooks.inc({ result }, 0)
  return { count: (result) => webhooks.inc({ result }) }
}
