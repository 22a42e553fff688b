// This folder has the portal's routes, a file for each group, and `operator/` for operators. This one is a good
// example. A route's schema validates the input, checks the answer and becomes its entry in `GET /api/openapi.json`.
// A handler reads the request, finds what the developer owns (`own-application.ts`) and asks the stores. Failures
// are exceptions that `refusal-of.ts` translates. A file knows neither SQL nor sessions: `create-portal.ts` decides
// which scope it is registered in.

import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { applicationAnswer } from '../answers.ts'
import { listAnswer, pageOf } from '../list-page.ts'
import { ApplicationParams, ownApplication } from '../own-application.ts'
import { actorOf, signedIn } from '../request.ts'
import {
  Application,
  ApplicationChange,
  ApplicationInput,
  ApplicationList,
} from '../schemas/applications.ts'
import { Empty, ListQuery } from '../schemas/common.ts'

/** The signed-in developer's applications. Needs a session. */
export function registerApplications(
  app: PortalApp,
  { stores }: Needs<never, 'applications'>,
): void {
  const { applications } = stores

  app.get(
    '/api/applications',
    {
      schema: {
        operationId: 'listApplications',
        summary: 'List your applications, oldest first',
        querystring: ListQuery,
        response: { 200: ApplicationList },
      },
    },
    async (request) => {
      const { query } = request
      const developerId = signedIn(request).id
      const found = await applications.list({ ...pageOf(query), developerId })
      return listAnswer(query, found, applicationAnswer)
    },
  )

  app.post(
    '/api/applications',
    {
      schema: {
        operationId: 'createApplication',
        summary: 'Create an application',
        body: ApplicationInput,
        response: { 201: Application },
        problems: ['CONFLICT'],
      },
    },
    async (request, reply) => {
      const { name } = request.body
      const by = actorOf(request)
      const developerId = signedIn(request).id
      const created = await applications.create({ developerId, name, by })
      reply.header('location', `/api/applications/${created.id}`)
      return applicationAnswer(created)
    },
  )

  app.get(
    '/api/applications/:id',
    {
      schema: {
        operationId: 'getApplication',
        summary: 'Read an application',
        params: ApplicationParams,
        response: { 200: Application },
      },
    },
    async (request) => applicationAnswer(await ownApplication(stores, request, request.params)),
  )

  app.patch(
    '/api/applications/:id',
    {
      schema: {
        operationId: 'changeApplication',
        summary:
          'Change the name of an application, whether the bank takes only signed calls, or where it sends customers back',
        params: ApplicationParams,
        body: ApplicationChange,
        response: { 200: Application },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      const by = actorOf(request)
      return applicationAnswer(await applications.update({ ...request.body, id, by }))
    },
  )

  app.delete(
    '/api/applications/:id',
    {
      schema: {
        operationId: 'deleteApplication',
        summary: 'Delete an application with its keys, subscriptions and records',
        params: ApplicationParams,
        response: { 204: Empty },
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      await applications.delete({ id, by: actorOf(request) })
      return null
    },
  )
}
