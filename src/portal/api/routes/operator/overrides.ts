import { Type } from 'typebox'
import type { Catalogue } from '../../../../catalogue/catalogue.ts'
import { limitNames } from '../../../../catalogue/effective-limits.ts'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { overrideAnswer, overrideAnswers } from '../../answers.ts'
import { inputInvalid, orNotFound } from '../../portal-error.ts'
import { operatorOf, signedIn } from '../../request.ts'
import { Empty } from '../../schemas/common.ts'
import { LimitOverride, LimitOverrideInput, LimitOverrideList } from '../../schemas/operator.ts'
import { namedVersion } from '../../subscribable.ts'

const applicationId = Type.String({ description: 'of the application' })
const ListParams = Type.Object({ id: applicationId })
const ItemParams = Type.Object({
  id: applicationId,
  overrideId: Type.String({ description: 'of the override' }),
})

/** Other numbers of calls than the plans', for one application until a moment. Needs an operator. */
export function registerOverrides(
  app: PortalApp,
  { catalogue, stores }: Needs<'catalogue', 'applications' | 'overrides' | 'partyNames'>,
): void {
  const { applications, overrides, partyNames } = stores

  app.get(
    '/applications/:id/overrides',
    {
      schema: {
        operationId: 'listOverrides',
        summary: 'List the active overrides of an application, oldest first',
        params: ListParams,
        response: { 200: LimitOverrideList },
      },
    },
    async ({ params }) => {
      const { id: applicationId } = await orNotFound(applications.find(params.id))
      // At most one for each limit, so one piece holds them all.
      return { items: await overrideAnswers(partyNames, await overrides.list({ applicationId })) }
    },
  )

  app.post(
    '/applications/:id/overrides',
    {
      schema: {
        operationId: 'createOverride',
        summary: 'Replace the number of calls of the plan until a given time',
        params: ListParams,
        body: LimitOverrideInput,
        response: { 201: LimitOverride },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { body, params } = request
      checkLimit(catalogue(), body)
      const made = await overrides.create({
        ...body,
        applicationId: params.id,
        expiresAt: new Date(body.expiresAt),
        by: operatorOf(request),
        operatorId: signedIn(request).id,
      })
      const names = await partyNames.find([made.createdBy])
      return overrideAnswer(made, names)
    },
  )

  app.delete(
    '/applications/:id/overrides/:overrideId',
    {
      schema: {
        operationId: 'endOverride',
        summary: "End an override early; the plan's number of calls applies again",
        params: ItemParams,
        response: { 204: Empty },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { id, overrideId } = request.params
      await overrides.end({
        applicationId: id,
        id: overrideId,
        by: operatorOf(request),
        operatorId: signedIn(request).id,
      })
      return null
    },
  )
}

/** @throws {PortalError} INPUT_INVALID naming what is published */
function checkLimit(catalogue: Catalogue, { api, version, limit }: LimitOverrideInput): void {
  const names = limitNames(catalogue, namedVersion(catalogue, { api, version }))
  if (!names.includes(limit)) throw inputInvalid('/limit', `one of ${names.join(', ')}`)
}
