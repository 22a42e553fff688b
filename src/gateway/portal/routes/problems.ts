import { pagePolicy } from '../pages/page.ts'
import { problemPage } from '../pages/problem-page.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'

/** The pages behind the `type` of every problem; they work without script. */
export function registerProblems(app: PortalApp): void {
  app.get<{ Params: { code: string } }>('/problems/:code', ({ params }, reply) => {
    const document = problemPage(params.code)
    if (document === undefined) {
      throw new PortalError({ code: 'NOT_FOUND', detail: 'There is no such error code.' })
    }
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .send(document)
  })
}
