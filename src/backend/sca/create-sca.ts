// This folder has the bank's own pages, where a customer signs in and approves or refuses. Read this file first, then
// `sign-in-routes.ts` and `decision-routes.ts`: the two steps of a visit. `sign-in.ts` recognises the customer,
// `summary.ts` describes what is asked, `take-decision.ts` passes the decision to `processes/decide.ts`, and
// `return-address.ts` leads back to the third party. `pages.ts` and `html.ts` write the HTML, without scripts, in the
// language of the visit (`visit.ts`). The pages decide nothing about payments or consents and depend on no gateway and
// no portal.

import { type FastifyInstance, fastify } from 'fastify'
import { pictureRoute, servePicture } from '../../catalogue/brand/pictures.ts'
import { isOutage } from '../../platform/database/database.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import type { ListenerTls } from '../../platform/http/tls.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { RouteOptions } from './authorisation-route.ts'
import { registerDecisionRoutes } from './decision-routes.ts'
import { iconOf, iconPath, styleOf } from './face.ts'
import { fontFile } from './fonts.ts'
import { strictHeaders } from './page-headers.ts'
import { frontPage } from './pages.ts'
import { sendMessage, sendPage } from './send.ts'
import { registerSignInRoutes } from './sign-in-routes.ts'
import { rememberLanguage, visitOf } from './visit.ts'

export interface ScaOptions extends RouteOptions {
  /** TLS of the listener; undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  readonly log: Logger
}

/**
 * Creates the pages on which a PSU approves or refuses a request that a TPP has
 * sent there by redirect: sign in, read the request, decide with a one-time password.
 * A link works for ten minutes and until the decision. The id in it is unguessable.
 * The link alone shows only what kind of approval the TPP asks for.
 */
export function createSca({ bank, tls, log, now }: ScaOptions): FastifyInstance {
  const isSecure = bank.scaPublicUrl.startsWith('https:')
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: 16_384,
    serverFactory: (handle) =>
      createHttpServer({ tls, idleMs: 30_000, keepAliveTimeout: 72_000 }, handle),
    frameworkErrors: (_error, _request, reply) => {
      void sendMessage(bank, reply.headers(strictHeaders), 400, 'missing')
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(body.toString())),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(strictHeaders)
    rememberLanguage(request, reply, isSecure)
    // Browsers ignore it on plain HTTP (RFC 6797, 8.1), where a proxy may set it.
    if (isSecure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    done()
  })
  app.setNotFoundHandler((_request, reply) => sendMessage(bank, reply, 404, 'missing'))
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? (isOutage(error) ? 503 : 500)
    if (status >= 500) log.error({ err: error }, 'a page of the bank failed')
    return sendMessage(bank, reply, status, 'failed')
  })

  app.get('/', (request, reply) =>
    sendPage(reply, frontPage({ visit: visitOf(bank.brand(), request), sandbox: bank.sandbox })),
  )

  app.get('/style.css', (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(styleOf(bank.brand())),
  )

  app.get(iconPath, (request, reply) => {
    const { face } = visitOf(bank.brand(), request)
    return reply
      .headers({ 'content-type': 'image/svg+xml', 'cache-control': 'max-age=3600' })
      .send(iconOf(face, bank.brand()))
  })

  app.get<{ Params: { name: string } }>('/fonts/:name', async (request, reply) => {
    const font = await fontFile(request.params.name)
    if (font === undefined) return sendMessage(bank, reply, 404, 'missing')
    return reply
      .headers({
        'content-type': 'font/woff2',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      .send(font)
  })

  app.get<{ Params: { use: string; digest: string } }>(pictureRoute, (request, reply) => {
    const served = servePicture(bank.brand(), request.params)
    if (served === undefined) return reply.callNotFound()
    return reply.headers(served.headers).send(served.body)
  })

  registerSignInRoutes(app, { bank, now })
  registerDecisionRoutes(app, { bank, now })
  return app
}
