import type { FastifyRequest } from 'fastify'
import { signedIn } from '../api/request.ts'
import type { PortalServices } from '../services.ts'

/**
 * Creates the check that limits how much a signed-in developer changes, behind
 * `requireSession`. Removing is never refused: it is bounded by what there is,
 * and the thief of a session must not keep the owner from revoking keys.
 *
 * @throws {PortalError} ATTEMPTS_EXCEEDED, STORE_UNAVAILABLE, from what it returns
 */
export function createLimitChanges({ attempts }: Pick<PortalServices, 'attempts'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (isLimited(request.method))
      await attempts.count('change-of-developer', { developerId: signedIn(request).id })
  }
}

/** Whether requests of a method count as changes. */
export function isLimited(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'
}
