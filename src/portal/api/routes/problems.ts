import type { Language } from '../../../messages/language.ts'
import type { ProblemSamples } from '../../documents/problem-sample.ts'
import { type LookServices, plainLook, queryValue } from '../../pages/page-look.ts'
import { problemIndex, problemPage } from '../../pages/problem-page.ts'
import type { PortalApp } from '../../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import { wantsPage } from './pages.ts'

/** The pages behind the `type` of every problem; they work without script. */
export function registerProblems(
  app: PortalApp,
  services: LookServices & { readonly problemSamples: ProblemSamples },
): void {
  const { problemSamples } = services
  for (const path of ['/problems', '/problems/']) {
    app.get(path, (_request, reply) => {
      const look = plainLook(services, reply)
      return reply.headers(htmlIn(look.language)).send(problemIndex({ look }))
    })
  }

  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const { params, query } = request
    const look = plainLook(services, reply)
    // The address in an answer names the call (`help`).
    const callId = queryValue(query, 'call')
    const document = problemPage({ code: params.code, callId, sampleOf: problemSamples, look })
    if (document === undefined) {
      // The bank's codes have no page.
      if (wantsPage(request)) return reply.callNotFound()
      throw new PortalError({ code: 'NOT_FOUND', detail: 'This error code does not exist.' })
    }
    return reply.headers(htmlIn(look.language)).send(document)
  })
}

function htmlIn(language: Language) {
  return { 'content-type': 'text/html; charset=utf-8', 'content-language': language }
}
