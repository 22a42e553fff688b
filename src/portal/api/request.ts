import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../../platform/http/client-address.ts'
import { type Circumstances, cutText } from '../../platform/log/security-events.ts'
import type { Developer } from '../../registry/applications/developer.ts'
import type { AuditContext } from '../../registry/audit/audit-context.ts'
import type { LiveSession } from '../stores/accounts/sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in developer; null outside the scopes that require a session. */
    developer: Developer | null
  }
  interface Session {
    /** Absent until the visitor signs in. */
    signIn?: LiveSession
  }
}

/** The developer whose session a request carries, in a route behind `requireSession`. */
export function signedIn(request: FastifyRequest): Developer {
  if (request.developer === null)
    throw new Error('the route requires a session, and the request has none')
  return request.developer
}

/** The session of a request, by its name in the list of its developer, in a route behind `requireSession`. */
export function sessionOf({ session }: FastifyRequest): string {
  if (session.signIn === undefined)
    throw new Error('the route requires a session, and the request has none')
  return session.signIn.id
}

/** Whether the session of a request began at the OpenID Connect provider, which is then responsible for all factors. */
export function signedInAtProvider({ session }: FastifyRequest): boolean {
  return session.signIn?.factor === 'oidc'
}

/** The signed-in developer as the actor of an audit entry. */
export function actorOf(request: FastifyRequest): string {
  return `developer:${signedIn(request).id}`
}

/** The signed-in operator as the actor of an audit entry: the staff id, which stays when the account is deleted. */
export function operatorOf(request: FastifyRequest): string {
  const staffId = request.session.signIn?.staffId ?? null
  return staffId === null ? actorOf(request) : `staff:${staffId}`
}

/** Returns a function that reads who sent a request, from which address and with which browser. */
export function createCircumstances(
  clientAddress: ClientAddress,
): (request: FastifyRequest) => Circumstances {
  return (request) => ({
    actor: personOf(request),
    address: clientAddress(request.raw),
    agent: request.headers['user-agent'],
    requestId: request.id,
  })
}

/** Returns a function that reads what the audit log records about a request. */
export function createAuditContext({
  clientAddress,
  recordedAddress,
}: {
  readonly clientAddress: ClientAddress
  readonly recordedAddress: (address: string) => string | undefined
}): (request: FastifyRequest) => AuditContext {
  return (request) => {
    const address = recordedAddress(clientAddress(request.raw))
    const agent = request.headers['user-agent']
    return {
      requestId: request.id,
      personal: {
        ...(address === undefined ? {} : { address }),
        ...(address === undefined || agent === undefined ? {} : { agent: cutText(agent) }),
      },
    }
  }
}

function personOf(request: FastifyRequest): string | undefined {
  if (request.developer === null) return undefined
  return request.developer.isOperator ? operatorOf(request) : actorOf(request)
}
