import { type Language, languageOf } from '../../../messages/language.ts'
import { pageLook } from '../pages/page-look.ts'
import { problemIndex, problemPage } from '../pages/problem-page.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import type { PortalServices } from '../services.ts'
import { wantsPage } from './pages.ts'

/** The pages behind the `type` of every problem; they work without script. */
export function registerProblems(
  app: PortalApp,
  services: Pick<PortalServices, 'catalogue' | 'page'>,
): void {
  for (const path of ['/problems', '/problems/']) {
    app.get(path, (request, reply) =>
      reply
        .headers(htmlIn(languageOf(request.headers)))
        .send(problemIndex({ look: pageLook(services, reply) })),
    )
  }

  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const { params } = request
    const document = problemPage({ code: params.code, look: pageLook(services, reply) })
    if (document === undefined) {
      // The bank's codes have no page.
      if (wantsPage(request)) return reply.callNotFound()
      throw new PortalError({ code: 'NOT_FOUND', detail: 'This error code does not exist.' })
    }
    return reply.headers(htmlIn(languageOf(request.headers))).send(document)
  })
}

function htmlIn(language: Language) {
  return { 'content-type': 'text/html; charset=utf-8', 'content-language': language }
}
