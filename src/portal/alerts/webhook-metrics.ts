import { Counter, type Registry } from 'prom-client'

/** `retried`: an attempt failed and will be repeated. `given-up`: failed for a day. `dropped`: 1,000 newer events wait. */
export const webhookResults = ['delivered', 'retried', 'given-up', 'dropped'] as const
export type WebhookResult = (typeof webhookResults)[number]

export interface WebhookMetrics {
  count(result: WebhookResult, events?: number): void
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const webhooks = new Counter({
    name: 'portal_webhooks_total',
    help: 'Attempts to send an event to a webhook, and events dropped, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of webhookResults) webhooks.inc({ result }, 0)
  return { count: (result, events = 1) => webhooks.inc({ result }, events) }
}
