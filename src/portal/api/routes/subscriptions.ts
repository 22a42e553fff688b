import { Type } from 'typebox'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { subscriptionAnswer } from '../answers.ts'
import { ApplicationParams, ownApplication, ownItem } from '../own-application.ts'
import { actorOf } from '../request.ts'
import {
  Subscription,
  SubscriptionChange,
  SubscriptionInput,
  SubscriptionList,
} from '../schemas/applications.ts'
import { Empty } from '../schemas/common.ts'
import { checkSubscribable } from '../subscribable.ts'

const ItemParams = Type.Object({
  ...ApplicationParams.properties,
  subscriptionId: Type.String({ description: 'of the subscription' }),
})

/** Which API versions an application may call. Needs a session. */
export function registerSubscriptions(
  app: PortalApp,
  { catalogue, now, stores }: Needs<'catalogue' | 'now', 'applications' | 'subscriptions'>,
): void {
  const { subscriptions } = stores

  app.get(
    '/api/applications/:id/subscriptions',
    {
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List the active subscriptions of an application, oldest first',
        params: ApplicationParams,
        response: { 200: SubscriptionList },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      // At most one for each version, so one piece holds them all.
      const found = await subscriptions.list({ applicationId: id })
      return { items: found.map(subscriptionAnswer) }
    },
  )

  app.post(
    '/api/applications/:id/subscriptions',
    {
      schema: {
        operationId: 'subscribe',
        summary: 'Subscribe to a plan of an API version',
        params: ApplicationParams,
        body: SubscriptionInput,
        response: { 201: Subscription },
        problems: ['CONFLICT'],
      },
    },
    async (request, reply) => {
      const application = await ownApplication(stores, request, request.params)
      const { api, version, plan } = request.body
      checkSubscribable(catalogue(), { api, version, plan }, now())
      const added = await subscriptions.add({
        applicationId: application.id,
        api,
        version,
        plan,
        by: actorOf(request),
      })
      reply.header('location', `/api/applications/${application.id}/subscriptions/${added.id}`)
      return subscriptionAnswer(added)
    },
  )

  app.patch(
    '/api/applications/:id/subscriptions/:subscriptionId',
    {
      schema: {
        operationId: 'changePlan',
        summary: 'Move a subscription to another plan; calls already made still count',
        params: ItemParams,
        body: SubscriptionChange,
        response: { 200: Subscription },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { subscriptionId } = request.params
      const { id, api, version } = await ownItem(stores, request, subscriptions, subscriptionId)
      const { plan } = request.body
      checkSubscribable(catalogue(), { api, version, plan }, now())
      return subscriptionAnswer(await subscriptions.change({ id, plan, by: actorOf(request) }))
    },
  )

  app.delete(
    '/api/applications/:id/subscriptions/:subscriptionId',
    {
      schema: {
        operationId: 'unsubscribe',
        summary: 'End a subscription; the application can no longer call the version',
        params: ItemParams,
        response: { 204: Empty },
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownItem(stores, request, subscriptions, request.params.subscriptionId)
      await subscriptions.end({ id, by: actorOf(request) })
      return null
    },
  )
}
