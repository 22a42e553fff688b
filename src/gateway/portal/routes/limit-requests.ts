import { Type } from 'typebox'
import { type Catalogue, versionKey } from '../../../catalogue/catalogue.ts'
import { effectiveLimits } from '../../../catalogue/effective-limits.ts'
import type * as registered from '../../registry/limit-requests.ts'
import { withInstants } from '../answers.ts'
import { ownApplication, ownItem } from '../own-application.ts'
import type { PortalApp } from '../portal-app.ts'
import { inputInvalid } from '../portal-error.ts'
import { actorOf, signedIn } from '../request.ts'
import { Empty } from '../schemas/common.ts'
import { LimitRequest, LimitRequestInput, LimitRequestList } from '../schemas/limit-requests.ts'
import type { PortalServices } from '../services.ts'

const applicationId = Type.String({ description: 'of the application' })
const ListParams = Type.Object({ id: applicationId })
const ItemParams = Type.Object({
  id: applicationId,
  limitRequestId: Type.String({ description: 'of the request for more calls' }),
})

/** A developer asks for more calls. Needs a session. */
export function registerLimitRequests(
  app: PortalApp,
  { catalogue, mails, now, stores }: Pick<PortalServices, 'catalogue' | 'mails' | 'now' | 'stores'>,
): void {
  const { limitRequests, overrides, subscriptions } = stores

  app.get(
    '/api/applications/:id/limit-requests',
    {
      schema: {
        operationId: 'listLimitRequests',
        summary: 'List the newest 50 requests of an application for more calls, newest first',
        params: ListParams,
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
        summary: 'Ask the operators for more calls than a limit allows; each gets an email',
        params: ListParams,
        body: LimitRequestInput,
        response: { 201: LimitRequest },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      const { body } = request
      await checkWish(application.id, body)
      const developer = signedIn(request)
      const made = await limitRequests.create({
        ...body,
        applicationId: application.id,
        by: actorOf(request),
        async post(trx, asked, operators) {
          const { api, version, limit, calls, reason } = asked
          const facts = {
            ...({ kind: 'limit-requested', api, version, limit, calls, reason } as const),
            ...{ applicationId: application.id, applicationName: application.name },
            ...{ developerName: developer.name, developerEmail: developer.email },
          }
          for (const to of operators) await mails.outbox.post(trx, facts, to)
        },
      })
      return limitRequestAnswer(made)
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

  /** @throws {PortalError} INPUT_INVALID for a version without a subscription, another limit, or no more calls than now */
  async function checkWish(
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

function limitsOf(
  { plans, versions }: Catalogue,
  { api, version, plan }: { readonly api: string; readonly version: string; readonly plan: string },
) {
  const isPublished = versions.has(versionKey(api, version))
  return isPublished ? (plans.get(plan)?.limits ?? []) : []
}

function limitRequestAnswer({
  applicationId: _,
  ...request
}: registered.LimitRequest): LimitRequest {
  return withInstants(request)
}
