import type { FastifyRequest } from 'fastify'
import type { Developer } from '../registry/developers.ts'
import type { LiveSession } from '../registry/sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null outside the scopes that ask for a session. */
    developer: Developer | null
  }
  interface Session {
    /** Absent: a visitor's. */
    signIn?: LiveSession
  }
}

/** The developer whose session a request carries, in a route behind `requireSession`. */
export function signedIn(request: FastifyRequest): Developer {
  if (request.developer === null) throw new Error('a route that needs a session has none')
  return request.developer
}

/** How the developer of a request appears in the audit. */
export function actorOf(request: FastifyRequest): string {
  return `developer:${signedIn(request).id}`
}
