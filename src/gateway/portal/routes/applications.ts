import { Type } from 'typebox'
import { applicationAnswer } from '../answers.ts'
import { listAnswer, pageOf } from '../list-page.ts'
import { ownApplication } from '../own-application.ts'
import type { PortalApp } from '../portal-app.ts'
import { actorOf, signedIn } from '../request.ts'
import {
  Application,
  ApplicationChange,
  ApplicationInput,
  ApplicationList,
} from '../schemas/applications.ts'
import { Empty, ListQuery } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the application' }) })

/** The signed-in developer's applications. Needs a session. */
export function registerApplications(
  app: PortalApp,
  { stores }: Pick<PortalServices, 'stores'>,
): void {
  const { applications } = stores

  app.get(
    '/api/applications',
    {
      schema: {
        operationId: 'listApplications',
        summary: 'List your applications, oldest first',
        tag: 'Applications',
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
        tag: 'Applications',
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
      reply.code(201).header('location', `/api/applications/${created.id}`)
      return applicationAnswer(created)
    },
  )

  app.get(
    '/api/applications/:id',
    {
      schema: {
        operationId: 'getApplication',
        summary: 'Read an application',
        tag: 'Applications',
        params: Params,
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
        summary: 'Change the name of an application, or whether the bank takes only signed calls',
        tag: 'Applications',
        params: Params,
        body: ApplicationChange,
        response: { 200: Application },
        problems: ['CONFLICT'],
      },
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
        tag: 'Applications',
        params: Params,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { id } = await ownApplication(stores, request, request.params)
      await applications.delete({ id, by: actorOf(request) })
      reply.code(204)
      return null
    },
  )
}
