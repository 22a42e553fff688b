import { sessionEnded } from '../../accounts/session-answer.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { developerAnswer } from '../answers.ts'
import { conflict, notFound } from '../portal-error.ts'
import { signedIn } from '../request.ts'
import { Developer, TermsAcceptance } from '../schemas/accounts.ts'

/** Accepts the bank's terms after sign-up: they have changed, or sign-up did not ask. Needs a session. */
export function registerTerms(
  app: PortalApp,
  { catalogue, stores }: Needs<'catalogue', 'profiles' | 'terms'>,
): void {
  app.put(
    '/api/session/developer/terms',
    {
      schema: {
        operationId: 'acceptTerms',
        summary: 'Accept the current version of the terms',
        body: TermsAcceptance,
        response: { 200: Developer },
        problems: ['NOT_FOUND', 'CONFLICT'],
      },
    },
    async (request) => {
      const { version } = request.body
      const current = catalogue().brand.terms?.version
      if (current === undefined) throw notFound()
      if (version !== current) {
        throw conflict('terms-outdated', `The current version of the terms is ${current}.`)
      }
      const { id } = signedIn(request)
      await stores.terms.accept({ developerId: id, version })
      const profile = await stores.profiles.find(id)
      if (profile === undefined) throw sessionEnded()
      return developerAnswer(profile)
    },
  )
}
