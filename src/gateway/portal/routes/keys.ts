import { Type } from 'typebox'
import { issuedKeyAnswer, keyAnswer } from '../answers.ts'
import { listAnswer, pageOf } from '../list-page.ts'
import { keyOf, ownApplication } from '../own-application.ts'
import type { PortalApp } from '../portal-app.ts'
import { actorOf } from '../request.ts'
import { IssuedKey, KeyInput, KeyList, KeyListQuery, KeyRotation } from '../schemas/applications.ts'
import { Empty } from '../schemas/common.ts'
import type { PortalServices } from '../services.ts'

const applicationId = Type.String({ description: 'of the application' })
const ListParams = Type.Object({ id: applicationId })
const ItemParams = Type.Object({
  id: applicationId,
  keyId: Type.String({ description: 'public part of the key' }),
})

/** The API keys of an application. Responses that contain a key are never cached (`no-store`). Needs a session. */
export function registerKeys(
  app: PortalApp,
  { now, stores }: Pick<PortalServices, 'now' | 'stores'>,
): void {
  const { keys } = stores

  app.get(
    '/api/applications/:id/keys',
    {
      schema: {
        operationId: 'listKeys',
        summary: 'List the keys of an application: working keys first, newest first',
        tag: 'Keys',
        params: ListParams,
        querystring: KeyListQuery,
        response: { 200: KeyList },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      const { query } = request
      const found = await keys.page({ applicationId: id, page: pageOf(query) })
      const at = now()
      return listAnswer(query, found, (key) => keyAnswer(key, at))
    },
  )

  app.post(
    '/api/applications/:id/keys',
    {
      schema: {
        operationId: 'issueKey',
        summary: 'Create a key; only this response contains it',
        tag: 'Keys',
        params: ListParams,
        body: KeyInput,
        response: { 201: IssuedKey },
        problems: ['CONFLICT'],
      },
    },
    async (request, reply) => {
      const application = await ownApplication(stores, request, request.params)
      const { name, expiresAt } = request.body
      const issued = await keys.issue({
        applicationId: application.id,
        name,
        ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
        by: actorOf(request),
      })
      reply.code(201)
      return issuedKeyAnswer(issued, now())
    },
  )

  app.post(
    '/api/applications/:id/keys/:keyId/rotate',
    {
      schema: {
        operationId: 'rotateKey',
        summary:
          'Rotate a key; the old key keeps working during the overlap; only this response contains the new key',
        tag: 'Keys',
        params: ItemParams,
        body: KeyRotation,
        response: { 201: IssuedKey },
        problems: ['CONFLICT'],
      },
    },
    async (request, reply) => {
      const application = await ownApplication(stores, request, request.params)
      const { id } = await keyOf(stores, application, request.params.keyId)
      const { overlapSeconds } = request.body
      const issued = await keys.rotate({ id, overlapSeconds, by: actorOf(request) })
      reply.code(201)
      return issuedKeyAnswer(issued, now())
    },
  )

  app.delete(
    '/api/applications/:id/keys/:keyId',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key; every gateway rejects it within a second',
        tag: 'Keys',
        params: ItemParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const application = await ownApplication(stores, request, request.params)
      const { id } = await keyOf(stores, application, request.params.keyId)
      await keys.revoke({ id, by: actorOf(request) })
      reply.code(204)
      return null
    },
  )
}
