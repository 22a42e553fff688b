// This folder notifies applications of what happens to them: limits that are nearly or wholly used up, keys and certificates
// that expire. `events.ts` lists the events and writes them into a table in the caller's transaction; from there
// `deliver-webhooks.ts` signs and sends them, `webhook-target.ts` decides where they may go. `limit-alerts.ts` and
// `expiry-alerts.ts` are the jobs that find what to send, by webhook and by email. This file opens the webhooks.

import type { Registry as MetricsRegistry } from 'prom-client'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import type { PortalSecrets } from '../sealing/portal-secrets.ts'
import { createWebhookQueue } from '../stores/alerts/webhook-queue.ts'
import type { PortalSchema } from '../stores/schema.ts'
import { startWebhookDelivery } from './deliver-webhooks.ts'
import { createEvents, type Events } from './events.ts'
import { createWebhookMetrics } from './webhook-metrics.ts'
import { sealSecret } from './webhook-secret.ts'
import { newWebhookSecret } from './webhook-signature.ts'
import {
  createWebhookTargets,
  type WebhookTargets,
  type WebhookTargetsOptions,
} from './webhook-target.ts'

/** What the rest of the portal needs of webhooks. */
export interface Webhooks {
  readonly events: Events
  readonly targets: Pick<WebhookTargets, 'read' | 'isLocalAllowed'>
  /** Makes a secret for an application's webhook. */
  newSecret(applicationId: string): { readonly secret: string; readonly sealed: Buffer }
  /** There is something to send. */
  wake(): void
}

export interface WebhooksOptions {
  readonly settings: WebhookTargetsOptions['settings']
  readonly database: Database
  readonly secrets: Pick<PortalSecrets, 'webhooks'>
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
}

/** Opens the webhooks and starts sending what waits. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { settings, database, secrets, metricsRegistry, log, lifetime } = options
  const key = secrets.webhooks
  const targets = createWebhookTargets({ settings })
  const metrics = createWebhookMetrics(metricsRegistry)
  const delivery = startWebhookDelivery({
    queue: createWebhookQueue({ db: database.connect<PortalSchema>() }),
    targets,
    key,
    metrics,
    log,
    now: Date.now,
    // Only this process writes into an embedded database, and it wakes the delivery. Retries may be a little late.
    ...(database.onTransaction === undefined ? {} : { pollMs: 10_000 }),
  })
  lifetime.opened(() => delivery.close())
  return {
    events: createEvents({
      onPost({ dropped }) {
        metrics.count('dropped', dropped)
        delivery.wake()
      },
    }),
    targets,
    newSecret(applicationId) {
      const secret = newWebhookSecret()
      return { secret, sealed: sealSecret(key, applicationId, secret) }
    },
    wake: () => delivery.wake(),
  }
}
