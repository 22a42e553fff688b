import { Type } from 'typebox'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { keyAnswer, overrideAnswers, subscriptionAnswer, withInstants } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import { orNotFound } from '../../portal-error.ts'
import { operatorOf, signedIn } from '../../request.ts'
import { KeyList, KeyListQuery } from '../../schemas/applications.ts'
import {
  OperatedApplication,
  OperatedApplicationDetail,
  OperatedApplicationList,
  SearchQuery,
} from '../../schemas/operator.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the application' }) })

/** Applications of all developers: look up, list keys, suspend, resume. Needs an operator. */
export function registerOperatedApplications(
  app: PortalApp,
  {
    now,
    stores,
  }: Needs<
    'now',
    'applications' | 'directory' | 'keys' | 'overrides' | 'partyNames' | 'subscriptions'
  >,
): void {
  const { applications, directory, keys, overrides, partyNames, subscriptions } = stores

  const find = (id: string) => orNotFound(directory.application(id))

  app.get(
    '/applications',
    {
      schema: {
        operationId: 'listAllApplications',
        summary:
          "List applications by part of their name or their developer's address, oldest first",
        querystring: SearchQuery,
        response: { 200: OperatedApplicationList },
      },
    },
    async ({ query }) => {
      const found = await directory.applications({ ...pageOf(query), search: query.search })
      return listAnswer(query, found, withInstants)
    },
  )

  app.get(
    '/applications/:id',
    {
      schema: {
        operationId: 'getAnyApplication',
        summary: 'Read an application with its subscriptions and overrides',
        params: Params,
        response: { 200: OperatedApplicationDetail },
      },
    },
    async ({ params }) => {
      const application = await find(params.id)
      const applicationId = application.id
      const [subscribed, overridden] = await Promise.all([
        subscriptions.list({ applicationId }),
        overrides.list({ applicationId }),
      ])
      return {
        application: withInstants(application),
        subscriptions: subscribed.map(subscriptionAnswer),
        overrides: await overrideAnswers(partyNames, overridden),
      }
    },
  )

  app.get(
    '/applications/:id/keys',
    {
      schema: {
        operationId: 'listAnyKeys',
        summary: 'List the keys of an application: working keys first, newest first',
        params: Params,
        querystring: KeyListQuery,
        response: { 200: KeyList },
      },
    },
    async ({ params, query }) => {
      const { id: applicationId } = await find(params.id)
      const found = await keys.page({ applicationId, page: pageOf(query) })
      const at = now()
      return listAnswer(query, found, (key) => keyAnswer(key, at))
    },
  )

  app.post(
    '/applications/:id/suspend',
    {
      schema: {
        operationId: 'suspendApplication',
        summary: 'Suspend an application: the gateway rejects its calls',
        params: Params,
        response: { 200: OperatedApplication },
      },
    },
    async (request) => {
      const { id } = request.params
      await applications.suspend({ id, by: operatorOf(request) })
      return withInstants(await find(id))
    },
  )

  app.post(
    '/applications/:id/resume',
    {
      schema: {
        operationId: 'resumeApplication',
        summary: 'Resume a suspended application',
        params: Params,
        response: { 200: OperatedApplication },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { id } = request.params
      await applications.resume({ id, by: operatorOf(request), operatorId: signedIn(request).id })
      return withInstants(await find(id))
    },
  )
}
