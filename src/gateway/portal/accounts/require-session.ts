import type { FastifyRequest } from 'fastify'
import { notFound, PortalError } from '../portal-error.ts'
import { signedIn } from '../request.ts'

/** Lets pass who is signed in. @throws {PortalError} SESSION_REQUIRED */
export async function requireSession(request: FastifyRequest): Promise<void> {
  const { signIn } = request.session
  if (signIn !== undefined) {
    request.developer = signIn.developer
    return
  }
  throw new PortalError({ code: 'SESSION_REQUIRED', detail: 'Sign in and repeat the request.' })
}

/** Lets operators pass; for other developers the path does not exist. @throws {PortalError} NOT_FOUND */
export async function requireOperator(request: FastifyRequest): Promise<void> {
  if (!signedIn(request).isOperator) throw notFound()
}
