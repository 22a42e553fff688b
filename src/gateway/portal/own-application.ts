import type { FastifyRequest } from 'fastify'
import type { Application } from '../registry/applications.ts'
import type { ApiKey } from '../registry/keys.ts'
import type { RegistryStores } from '../registry/stores.ts'
import type { Subscription } from '../registry/subscriptions.ts'
import { notFound, PortalError } from './portal-error.ts'
import { signedIn } from './request.ts'

/** A request whose path names an application. */
export interface ApplicationParams {
  readonly id: string
}

/**
 * Finds the application that a path names, if the signed-in developer owns it.
 * Every route below `/api/applications/:id` uses this check.
 *
 * @throws {PortalError} NOT_FOUND, for malformed, unknown and foreign ids alike
 */
export async function ownApplication(
  { applications }: Pick<RegistryStores, 'applications'>,
  request: FastifyRequest,
  { id }: ApplicationParams,
): Promise<Application> {
  const found = await applications.find(id)
  if (found?.developerId !== signedIn(request).id) throw notFound()
  return found
}

/** The key a path names, if it is one of the application's. @throws {PortalError} NOT_FOUND */
export async function keyOf(
  { keys }: Pick<RegistryStores, 'keys'>,
  application: Application,
  keyId: string,
): Promise<ApiKey> {
  const found = await keys.find(keyId)
  if (found?.applicationId !== application.id) throw notFound()
  return found
}

/** The subscription a path names, if it is one of the application's. @throws {PortalError} NOT_FOUND */
export async function subscriptionOf(
  { subscriptions }: Pick<RegistryStores, 'subscriptions'>,
  application: Application,
  subscriptionId: string,
): Promise<Subscription> {
  const found = await subscriptions.find(subscriptionId)
  if (found?.applicationId !== application.id) throw notFound()
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
  throw new PortalError({
    code: 'CONFLICT',
    detail: 'The application is suspended. Ask the operator of this gateway to resume it.',
    members: { rule: 'application-suspended' },
  })
}
