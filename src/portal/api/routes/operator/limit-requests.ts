import { Type } from 'typebox'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import type { InForce, LimitRequest } from '../../../stores/limit-requests/limit-requests.ts'
import { withInstants } from '../../answers.ts'
import { limitsOf } from '../../limits-of.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import { publishedLimit } from '../../published-limit.ts'
import { operatorOf, signedIn } from '../../request.ts'
import type { PublishedLimit } from '../../schemas/catalogue.ts'
import {
  LimitRequestDecline,
  LimitRequestGrant,
  LimitRequestsQuery,
  LimitRequest as ShownLimitRequest,
  WaitingLimitRequestList,
} from '../../schemas/limit-requests.ts'

const Params = Type.Object({
  limitRequestId: Type.String({ description: 'of the request for more calls' }),
})

/** Answers developers who ask for more calls. Needs an operator, and not the owner of the application. */
export function registerLimitRequestAnswers(
  app: PortalApp,
  { catalogue, mails, stores }: Needs<'catalogue' | 'mails', 'limitRequests'>,
): void {
  const { limitRequests } = stores

  /** The limit with the calls of an override; undefined: it applies to no subscription. */
  function limitNow(
    { api, version, limit }: Pick<LimitRequest, 'api' | 'version' | 'limit'>,
    { plan, overrideCalls }: InForce,
  ): PublishedLimit | undefined {
    const limits = plan === null ? [] : limitsOf(catalogue(), { api, version, plan })
    const found = limits.find(({ name }) => name === limit)
    if (found === undefined) return undefined
    const shown = publishedLimit(found)
    return { ...shown, calls: overrideCalls ?? shown.calls }
  }

  app.get(
    '/limit-requests',
    {
      schema: {
        operationId: 'listAllLimitRequests',
        summary: 'List requests for more calls: the open ones, or the closed ones',
        querystring: LimitRequestsQuery,
        response: { 200: WaitingLimitRequestList },
      },
    },
    async ({ query }) => {
      const isOpen = query.state !== 'closed'
      const found = await limitRequests.listAll({ ...pageOf(query), isOpen })
      return listAnswer(query, found, ({ inForce, ...request }) => ({
        ...withInstants(request),
        limitNow: limitNow(request, inForce) ?? null,
      }))
    },
  )

  app.post(
    '/limit-requests/:limitRequestId/grant',
    {
      schema: {
        operationId: 'grantLimitRequest',
        summary: 'Grant more calls until a given time: creates an override and sends an email',
        params: Params,
        body: LimitRequestGrant,
        response: { 200: ShownLimitRequest },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { calls } = request.body
      const until = new Date(request.body.until)
      const granted = await limitRequests.grant({
        id: request.params.limitRequestId,
        calls,
        until,
        callsNow: (found, inForce) => limitNow(found, inForce)?.calls,
        by: operatorOf(request),
        operatorId: signedIn(request).id,
        outbox: mails.outbox,
      })
      return answer(granted)
    },
  )

  app.post(
    '/limit-requests/:limitRequestId/decline',
    {
      schema: {
        operationId: 'declineLimitRequest',
        summary: 'Decline more calls with a sentence, which the developer gets by email',
        params: Params,
        body: LimitRequestDecline,
        response: { 200: ShownLimitRequest },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { reason } = request.body
      const declined = await limitRequests.decline({
        id: request.params.limitRequestId,
        answer: reason,
        by: operatorOf(request),
        operatorId: signedIn(request).id,
        outbox: mails.outbox,
      })
      return answer(declined)
    },
  )
}

function answer({ applicationId: _, ...request }: LimitRequest): ShownLimitRequest {
  return withInstants(request)
}
