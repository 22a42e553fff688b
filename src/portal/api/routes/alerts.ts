import { Type } from 'typebox'
import { messageOf } from '../../alerts/events.ts'
import type { WebhookTargets } from '../../alerts/webhook-target.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { type AlertChoices, type AlertKind, alertKinds } from '../../stores/alerts/alerts.ts'
import type * as queued from '../../stores/alerts/webhook-queue.ts'
import { withInstants } from '../answers.ts'
import { ApplicationParams, ownApplication, ownItem, refuseSuspended } from '../own-application.ts'
import { inputInvalid, orNotFound } from '../portal-error.ts'
import { actorOf } from '../request.ts'
import {
  type AlertKinds,
  Alerts,
  AlertsChange,
  Delivery,
  DeliveryList,
  NewWebhook,
  WebhookInput,
} from '../schemas/alerts.ts'
import { Empty } from '../schemas/common.ts'

const DeliveryParams = Type.Object({ ...ApplicationParams.properties, deliveryId: Type.String() })

/** What an application is warned of, its webhook and the deliveries there. Needs a session. */
export function registerAlerts(
  app: PortalApp,
  { stores, webhooks, now }: Needs<'webhooks' | 'now', 'alerts' | 'applications' | 'deliveries'>,
): void {
  const { alerts, deliveries } = stores

  app.get(
    '/api/applications/:id/alerts',
    {
      schema: {
        operationId: 'getAlerts',
        summary: 'Read which alerts an application sends, and its webhook without the secret',
        params: ApplicationParams,
        response: { 200: Alerts },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      return alertsAnswer(await orNotFound(alerts.find(id)), webhooks.targets)
    },
  )

  app.put(
    '/api/applications/:id/alerts',
    {
      schema: {
        operationId: 'chooseAlerts',
        summary: 'Choose which alerts an application sends by email and by webhook',
        params: ApplicationParams,
        body: AlertsChange,
        response: { 200: Alerts },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      const { mails, hooks } = request.body
      await alerts.choose({
        applicationId: id,
        mails: mails && kindsOf(mails),
        hooks: hooks && kindsOf(hooks),
        by: actorOf(request),
      })
      return alertsAnswer(await orNotFound(alerts.find(id)), webhooks.targets)
    },
  )

  app.put(
    '/api/applications/:id/webhook',
    {
      schema: {
        operationId: 'setWebhook',
        summary: 'Set the webhook of an application; only this response contains its secret',
        params: ApplicationParams,
        body: WebhookInput,
        response: { 200: NewWebhook },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      refuseSuspended(application)
      const { id } = application
      const read = webhooks.targets.read(request.body.url)
      if ('rule' in read) throw inputInvalid('/url', read.rule)
      const { secret, sealed } = webhooks.newSecret(id)
      await alerts.setWebhook({
        applicationId: id,
        url: read.url,
        sealedSecret: sealed,
        by: actorOf(request),
      })
      return { url: read.url, createdAt: new Date(now()).toISOString(), secret }
    },
  )

  app.delete(
    '/api/applications/:id/webhook',
    {
      schema: {
        operationId: 'removeWebhook',
        summary: 'Remove the webhook of an application with its deliveries',
        params: ApplicationParams,
        response: { 204: Empty },
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      await alerts.removeWebhook({ applicationId: id, by: actorOf(request) })
      return null
    },
  )

  app.post(
    '/api/applications/:id/webhook/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event to the webhook of an application',
        params: ApplicationParams,
        response: { 201: Delivery },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      refuseSuspended(application)
      const { id, name } = application
      const added = await deliveries.add({
        applicationId: id,
        event: () => messageOf({ type: 'test' }, { id, name }, new Date(now())),
      })
      webhooks.wake()
      return deliveryAnswer(added)
    },
  )

  app.get(
    '/api/applications/:id/webhook/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        summary: 'List the latest events for the webhook of an application, newest first',
        params: ApplicationParams,
        response: { 200: DeliveryList },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      return { items: (await deliveries.list({ applicationId: id })).map(deliveryAnswer) }
    },
  )

  app.post(
    '/api/applications/:id/webhook/deliveries/:deliveryId/redeliver',
    {
      schema: {
        operationId: 'redeliver',
        summary: 'Send an event to the webhook again, now and for another day until it arrives',
        params: DeliveryParams,
        response: { 200: Delivery },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      refuseSuspended(await ownApplication(stores, request, request.params))
      const { id } = await ownItem(stores, request, deliveries, request.params.deliveryId)
      const again = await deliveries.again(id)
      webhooks.wake()
      return deliveryAnswer(again)
    },
  )
}

function alertsAnswer(
  { mails, hooks, webhook }: AlertChoices,
  { isLocalAllowed }: Pick<WebhookTargets, 'isLocalAllowed'>,
): Alerts {
  return {
    mails: switchesOf(mails),
    hooks: switchesOf(hooks),
    webhook: webhook === null ? null : withInstants(webhook),
    isLocalWebhookAllowed: isLocalAllowed,
  }
}

function switchesOf(kinds: readonly AlertKind[]): AlertKinds {
  return {
    limits: kinds.includes('limits'),
    expiry: kinds.includes('expiry'),
    deprecations: kinds.includes('deprecations'),
  }
}

function kindsOf(switches: AlertKinds): AlertKind[] {
  return alertKinds.filter((kind) => switches[kind])
}

function deliveryAnswer({ applicationId, ...delivery }: queued.Delivery): Delivery {
  return withInstants(delivery)
}
