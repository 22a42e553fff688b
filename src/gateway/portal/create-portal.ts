import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { type Refusal, renderProblem } from '../../platform/problem.ts'
import { landingPage } from './landing-page.ts'
import { pagePolicy } from './page.ts'
import { problemPage } from './problem-page.ts'
import { publishedApis } from './published-apis.ts'
import { createRememberedDiff } from './remembered-diff.ts'

export interface PortalOptions {
  /** The catalogue in force. */
  readonly catalogue: () => Catalogue
  /** The portal's own origin. */
  readonly portalUrl: () => string
  readonly onError: (requestId: string, error: unknown) => void
}

/**
 * Builds the public part of the portal: what is published, the documents, the
 * differences between versions and the pages of the error codes. Not listening
 * yet.
 */
export function createPortal({ catalogue, portalUrl, onError }: PortalOptions): FastifyInstance {
  const diff = createRememberedDiff()
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 128 },
    // Fastify's own answer repeats the target, and people paste keys into targets.
    frameworkErrors: (_error, _request, reply) => void refuse(reply, { code: 'NOT_FOUND' }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
  })

  function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
    const context = { requestId: reply.request.id, portalUrl: portalUrl() }
    const { status, headers, body } = renderProblem(refusal, context)
    // As bytes: to a text Fastify would add a charset, which JSON types do not have.
    return reply.code(status).headers(headers).send(Buffer.from(body))
  }

  function html(reply: FastifyReply, document: string): FastifyReply {
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .send(document)
  }

  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, { code: 'NOT_FOUND', detail: 'The portal has no such page.' }),
  )
  app.setErrorHandler((error, request, reply) => {
    onError(request.id, error)
    return refuse(reply, { code: 'INTERNAL_ERROR' })
  })

  app.get('/', (_request, reply) => html(reply, landingPage(publishedApis(catalogue()))))

  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const document = problemPage(request.params.code)
    if (document === undefined) {
      return refuse(reply, { code: 'NOT_FOUND', detail: 'There is no such error code.' })
    }
    return html(reply, document)
  })

  app.get('/api/apis', () => publishedApis(catalogue()))

  app.get<{ Params: { api: string; version: string } }>(
    '/api/apis/:api/:version/openapi.json',
    (request, reply) => {
      const { api, version } = request.params
      const published = catalogue().versions.get(versionKey(api, version))
      if (published === undefined) return refuse(reply, unknownVersion(catalogue()))
      return reply.send(published.document)
    },
  )

  app.get<{ Params: { api: string }; Querystring: Record<string, unknown> }>(
    '/api/apis/:api/diff',
    (request, reply) => {
      const { api } = request.params
      const { from, to } = request.query
      const old = catalogue().versions.get(versionKey(api, String(from)))
      const young = catalogue().versions.get(versionKey(api, String(to)))
      if (old === undefined || young === undefined) {
        return refuse(reply, unknownVersion(catalogue()))
      }
      return reply.send(diff(old, young))
    },
  )
  return app
}

function unknownVersion(catalogue: Catalogue): Refusal {
  const known = [...catalogue.versions.keys()].join(', ')
  return { code: 'NOT_FOUND', detail: `There is no such API version. Published are ${known}.` }
}
