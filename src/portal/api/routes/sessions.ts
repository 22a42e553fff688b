import { Type } from 'typebox'
import { sessionCookie } from '../../accounts/carry-sessions.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { withInstants } from '../answers.ts'
import { notFound } from '../portal-error.ts'
import { actorOf, signedIn } from '../request.ts'
import { Empty } from '../schemas/common.ts'
import { SessionList } from '../schemas/factors.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the session, from the list' }) })

/** Where the developer is signed in. Needs a session. */
export function registerSessions(
  app: PortalApp,
  { portalUrl, stores }: Needs<'portalUrl', 'sessions'>,
): void {
  const { name } = sessionCookie(portalUrl())
  const { sessions } = stores
  // Otherwise the thief of one session could sign the owner out of all others.
  const config = { needsProof: 'always' } as const

  app.get(
    '/api/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: 'List your sessions, the last used first; there are at most 20',
        response: { 200: SessionList },
      },
    },
    async (request) => {
      const current = request.session.signIn?.id
      const found = await sessions.list(signedIn(request).id)
      return {
        items: found.map((session) => ({
          ...withInstants(session),
          isCurrent: session.id === current,
        })),
      }
    },
  )

  app.delete(
    '/api/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        params: Params,
        response: { 204: Empty },
      },
      config,
    },
    async (request, reply) => {
      const { id } = request.params
      if (!(await sessions.endListed({ developerId: signedIn(request).id, id }))) throw notFound()
      if (id === request.session.signIn?.id) reply.clearCookie(name)
      return null
    },
  )

  app.delete(
    '/api/sessions',
    {
      schema: {
        operationId: 'signOutEverywhere',
        summary: 'End all your sessions, including this one',
        response: { 204: Empty },
      },
      config,
    },
    async (request, reply) => {
      await sessions.endAll({ developerId: signedIn(request).id, by: actorOf(request) })
      reply.clearCookie(name)
      return null
    },
  )
}
