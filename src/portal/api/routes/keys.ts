import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { issuedKeyAnswer, keyAnswer } from '../answers.ts'
import { listAnswer, pageOf } from '../list-page.ts'
import { ApplicationParams, ownApplication, ownItem } from '../own-application.ts'
import { actorOf, signedIn } from '../request.ts'
import {
  IssuedKey,
  Key,
  KeyInput,
  KeyList,
  KeyListQuery,
  KeyRotation,
  KeyUpdate,
} from '../schemas/applications.ts'
import { Empty } from '../schemas/common.ts'

const ItemParams = Type.Object({
  ...ApplicationParams.properties,
  keyId: Type.String({ description: 'public part of the key' }),
})

/** The API keys of an application. Responses that contain a key are never cached (`no-store`). Needs a session. */
export function registerKeys(
  app: PortalApp,
  { attempts, now, stores }: Needs<'attempts' | 'now', 'applications' | 'keys'>,
): void {
  const { keys } = stores

  /**
   * Counts a change towards the developer's limit of new keys. A change that
   * fails does not count.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED
   */
  async function countAsNewKey<Changed>(
    request: FastifyRequest,
    change: () => Promise<Changed>,
  ): Promise<Changed> {
    const attempt = await attempts.count('key-of-developer', { developerId: signedIn(request).id })
    try {
      return await change()
    } catch (error) {
      await attempt.abandoned()
      throw error
    }
  }

  app.get(
    '/api/applications/:id/keys',
    {
      schema: {
        operationId: 'listKeys',
        summary: 'List the keys of an application: working keys first, newest first',
        params: ApplicationParams,
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
        params: ApplicationParams,
        body: KeyInput,
        response: { 201: IssuedKey },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      const { name, expiresAt, allowedAddresses, mayReplaceItself } = request.body
      const issued = await countAsNewKey(request, () =>
        keys.issue({
          applicationId: application.id,
          name,
          allowedAddresses,
          mayReplaceItself,
          ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
          by: actorOf(request),
        }),
      )
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
        params: ItemParams,
        body: KeyRotation,
        response: { 201: IssuedKey },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownItem(stores, request, keys, request.params.keyId)
      const { overlapSeconds } = request.body
      const issued = await countAsNewKey(request, () =>
        keys.rotate({ id, overlapSeconds, by: actorOf(request) }),
      )
      return issuedKeyAnswer(issued, now())
    },
  )

  app.patch(
    '/api/applications/:id/keys/:keyId',
    {
      schema: {
        operationId: 'changeKey',
        summary:
          'Change the addresses from which a key may be used, or whether it may replace itself',
        params: ItemParams,
        body: KeyUpdate,
        response: { 200: Key },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownItem(stores, request, keys, request.params.keyId)
      const change = () => keys.update({ ...request.body, id, by: actorOf(request) })
      // A key that may replace itself creates new keys later, and each change of that sends an email.
      const allowsNewKeys = request.body.mayReplaceItself === true
      const key = await (allowsNewKeys ? countAsNewKey(request, change) : change())
      return keyAnswer(key, now())
    },
  )

  app.delete(
    '/api/applications/:id/keys/:keyId',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key; every gateway rejects it within a second',
        params: ItemParams,
        response: { 204: Empty },
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownItem(stores, request, keys, request.params.keyId)
      await keys.revoke({ id, by: actorOf(request) })
      return null
    },
  )
}
