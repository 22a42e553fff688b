import { Type } from 'typebox'
import type { ListedApplication } from '../../../registry/directory.ts'
import { keyAnswer, subscriptionAnswer } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import type { PortalApp } from '../../portal-app.ts'
import { notFound } from '../../portal-error.ts'
import { actorOf } from '../../request.ts'
import {
  OperatedApplication,
  OperatedApplicationDetail,
  OperatedApplicationList,
  SearchQuery,
} from '../../schemas/operator.ts'
import type { PortalServices } from '../../services.ts'
import { operatedApplicationAnswer, overrideAnswer } from './operator-answers.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the application' }) })

/** Applications of all developers: look up, suspend, resume. Needs an operator. */
export function registerOperatedApplications(
  app: PortalApp,
  { now, stores }: Pick<PortalServices, 'now' | 'stores'>,
): void {
  const { applications, directory, keys, overrides, subscriptions } = stores

  /** @throws {PortalError} NOT_FOUND */
  async function find(id: string): Promise<ListedApplication> {
    const found = await directory.application(id)
    if (found === undefined) throw notFound()
    return found
  }

  app.get(
    '/applications',
    {
      schema: {
        operationId: 'listAllApplications',
        summary:
          "List applications by part of their name or their developer's address, oldest first",
        tag: 'Operator',
        querystring: SearchQuery,
        response: { 200: OperatedApplicationList },
      },
    },
    async ({ query }) => {
      const found = await directory.applications({ ...pageOf(query), search: query.search })
      return listAnswer(query, found, operatedApplicationAnswer)
    },
  )

  app.get(
    '/applications/:id',
    {
      schema: {
        operationId: 'getAnyApplication',
        summary: 'Read an application with its subscriptions, keys and overrides',
        tag: 'Operator',
        params: Params,
        response: { 200: OperatedApplicationDetail },
      },
    },
    async ({ params }) => {
      const application = await find(params.id)
      const applicationId = application.id
      const [subscribed, issued, overridden] = await Promise.all([
        subscriptions.list({ applicationId }),
        keys.list({ applicationId }),
        overrides.list({ applicationId }),
      ])
      const at = now()
      return {
        application: operatedApplicationAnswer(application),
        subscriptions: subscribed.map(subscriptionAnswer),
        keys: issued.map((key) => keyAnswer(key, at)),
        overrides: overridden.map(overrideAnswer),
      }
    },
  )

  for (const verb of ['suspend', 'resume'] as const) {
    app.post(
      `/applications/:id/${verb}`,
      {
        schema: {
          operationId: `${verb}Application`,
          summary:
            verb === 'suspend'
              ? 'Suspend an application: the gateway rejects its calls'
              : 'Resume a suspended application',
          tag: 'Operator',
          params: Params,
          response: { 200: OperatedApplication },
        },
      },
      async (request) => {
        const { id } = request.params
        await applications[verb]({ id, by: actorOf(request) })
        return operatedApplicationAnswer(await find(id))
      },
    )
  }
}
