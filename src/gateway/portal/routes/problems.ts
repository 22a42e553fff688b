import { problemPage } from '../pages/problem-page.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import type { PortalServices } from '../services.ts'

/** The pages behind the `type` of every problem; they work without script. */
export function registerProblems(app: PortalApp, { page }: Pick<PortalServices, 'page'>): void {
  app.get<{ Params: { code: string } }>('/problems/:code', ({ params }, reply) => {
    const styleNonce = reply.cspNonce.style
    const document = problemPage({ code: params.code, styleNonce, icon: page.icon })
    if (document === undefined) {
      throw new PortalError({ code: 'NOT_FOUND', detail: 'There is no such error code.' })
    }
    return reply.header('content-type', 'text/html; charset=utf-8').send(document)
  })
}
