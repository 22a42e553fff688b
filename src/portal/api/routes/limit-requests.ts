import { Type } from 'typebox'
import { effectiveLimits } from '../../../catalogue/effective-limits.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type * as registered from '../../stores/limit-requests/limit-requests.ts'
import { withInstants } from '../answers.ts'
import { limitsOf } from '../limits-of.ts'
import { ApplicationParams, ownApplication, ownItem } from '../own-application.ts'
import { inputInvalid } from '../portal-error.ts'
import { actorOf } from '../request.ts'
import { Empty } from '../schemas/common.ts'
import { LimitRequest, LimitRequestInput, LimitRequestList } from '../schemas/limit-requests.ts'

const ItemParams = Type.Object({
  ...ApplicationParams.properties,
  limitRequestId: Type.String({ description: 'of the request for more calls' }),
})

/** A developer asks for more calls. Needs a session. */
export function registerLimitRequests(
  app: PortalApp,
  services: Needs<
    'attempts' | 'catalogue' | 'mails' | 'now',
    'applications' | 'limitRequests' | 'overrides' | 'subscriptions'
  >,
): void {
  const { attempts, catalogue, mails, now, stores } = services
  const { limitRequests, overrides, subscriptions } = stores

  app.get(
    '/api/applications/:id/limit-requests',
    {
      schema: {
        operationId: 'listLimitRequests',
        summary: 'List the newest 50 requests of an application for more calls, newest first',
        params: ApplicationParams,
        response: { 200: LimitRequestList },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      const found = await limitRequests.list({ applicationId: id })
      return { items: found.map(limitRequestAnswer) }
    },
  )

  app.post(
    '/api/applications/:id/limit-requests',
    {
      schema: {
        operationId: 'requestLimit',
        summary:
          'Ask the operators for more calls than a limit allows, five times a day for all applications',
        params: ApplicationParams,
        body: LimitRequestInput,
        response: { 201: LimitRequest },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      const { body } = request
      await checkWanted(application.id, body)
      const { wantedUntil, ...wanted } = body
      const attempt = await attempts.count('wish-of-developer', {
        developerId: application.developerId,
      })
      try {
        const made = await limitRequests.create({
          ...wanted,
          wantedUntil: wantedUntil === undefined ? null : new Date(wantedUntil),
          applicationId: application.id,
          by: actorOf(request),
          outbox: mails.outbox,
        })
        return limitRequestAnswer(made)
      } catch (error) {
        await attempt.abandoned()
        throw error
      }
    },
  )

  app.delete(
    '/api/applications/:id/limit-requests/:limitRequestId',
    {
      schema: {
        operationId: 'withdrawLimitRequest',
        summary: 'Withdraw an open request for more calls',
        params: ItemParams,
        response: { 204: Empty },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { limitRequestId } = request.params
      const { id } = await ownItem(stores, request, limitRequests, limitRequestId)
      await limitRequests.withdraw({ id, by: actorOf(request) })
      return null
    },
  )

  /**
   * @throws {PortalError} INPUT_INVALID for a version without a subscription, another limit, or no more calls than now
   */
  async function checkWanted(
    applicationId: string,
    { api, version, limit, calls }: LimitRequestInput,
  ): Promise<void> {
    const active = await subscriptions.list({ applicationId })
    const subscription = active.find((each) => each.api === api && each.version === version)
    if (subscription === undefined) {
      throw inputInvalid('/version', 'one that the application is subscribed to')
    }
    const all = await overrides.list({ applicationId })
    const own = all.filter((each) => each.api === api && each.version === version)
    const limits = effectiveLimits(limitsOf(catalogue(), subscription), own, now())
    const found = limits.find(({ name }) => name === limit)
    if (found === undefined) {
      throw inputInvalid('/limit', `one of ${limits.map(({ name }) => name).join(', ')}`)
    }
    if (calls <= found.calls) {
      throw inputInvalid('/calls', `more than ${found.calls}, which the limit allows now`)
    }
  }
}

function limitRequestAnswer({
  applicationId: _,
  ...request
}: registered.LimitRequest): LimitRequest {
  return withInstants(request)
}
