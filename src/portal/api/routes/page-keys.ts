import { sessionEnded } from '../../accounts/session-answer.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { issuedKeyAnswer } from '../answers.ts'
import { ApplicationParams, ownApplication, refuseSuspended } from '../own-application.ts'
import { actorOf, sessionOf, signedIn } from '../request.ts'
import { IssuedKey } from '../schemas/applications.ts'

/** Keys for pages of the portal, which end with the session that asks for them. */
export function registerPageKeys(
  app: PortalApp,
  {
    attempts,
    now,
    sandbox,
    stores,
  }: Needs<'attempts' | 'now' | 'sandbox', 'applications' | 'pageKeys'>,
): void {
  app.post(
    '/api/applications/:id/page-key',
    {
      schema: {
        operationId: 'issuePageKey',
        summary:
          'Create a key for this session, which ends after 15 minutes or with the session; only this response contains it',
        params: ApplicationParams,
        response: { 201: IssuedKey },
        problems: ['CONFLICT'],
      },
      // Behind a sandbox there is nothing to protect from a stolen session.
      config: sandbox === undefined ? { needsProof: 'always' } : {},
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      refuseSuspended(application)
      const { id: developerId } = signedIn(request)
      const hasKeys = await stores.pageKeys.hasKeys(application.id)
      const counted = [await attempts.count('page-key-of-developer', { developerId })]
      // New applications have fresh limits, so their first key counts as one of a program does.
      if (!hasKeys) counted.push(await attempts.count('key-of-developer', { developerId }))
      const issued = await stores.pageKeys
        .issue({
          applicationId: application.id,
          sessionId: sessionOf(request),
          by: actorOf(request),
        })
        .catch(async (error: unknown) => {
          for (const attempt of counted) await attempt.abandoned()
          throw error
        })
      if (issued === undefined) throw sessionEnded()
      return issuedKeyAnswer(issued, now())
    },
  )
}
