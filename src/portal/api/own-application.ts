import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Application } from '../../registry/applications/applications.ts'
import type { Stores } from '../stores/stores.ts'
import { conflict, notFound, type PortalError } from './portal-error.ts'
import { signedIn } from './request.ts'

/** The path of a request that names an application. */
export const ApplicationParams = Type.Object({
  id: Type.String({ description: 'of the application' }),
})
export type ApplicationParams = Static<typeof ApplicationParams>

/**
 * Finds the application that a path names, if the signed-in developer owns it.
 * Every route below `/api/applications/:id` uses this check.
 *
 * @throws {PortalError} NOT_FOUND, for malformed, unknown and foreign ids alike
 */
export async function ownApplication(
  { applications }: Pick<Stores, 'applications'>,
  request: FastifyRequest,
  { id }: ApplicationParams,
): Promise<Application> {
  const found = await applications.find(id)
  if (found === undefined) throw notFound()
  if (found.developerId !== signedIn(request).id) throw foreign(`application:${found.id}`)
  return found
}

function foreign(subject: string): PortalError {
  return notFound({ event: 'object.foreign', subject })
}

/**
 * Finds the key or the subscription that a path names, if it belongs to the
 * application in the path and that one to the signed-in developer.
 *
 * @throws {PortalError} NOT_FOUND
 */
export async function ownItem<Item extends { readonly applicationId: string }>(
  stores: Pick<Stores, 'applications'>,
  request: FastifyRequest<{ Params: ApplicationParams }>,
  items: { find(id: string): Promise<Item | undefined> },
  id: string,
): Promise<Item> {
  const application = await ownApplication(stores, request, request.params)
  const found = await items.find(id)
  if (found === undefined) throw notFound()
  if (found.applicationId !== application.id) throw foreign(`application:${found.applicationId}`)
  return found
}

/**
 * Refuses to add anything to a suspended application. Its developer can still
 * view and remove what it has.
 *
 * @throws {PortalError} CONFLICT
 */
export function refuseSuspended({ suspendedAt }: Application): void {
  if (suspendedAt === null) return
  throw conflict(
    'application-suspended',
    'The application is suspended. Ask the operator of this gateway to resume it.',
  )
}
