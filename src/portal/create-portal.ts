// This folder is the developer portal: the JSON API, the documents around the page, sessions and emails. Read this
// file first: its nested scopes say who may call which route. `api/routes/` has one file for each group of routes and
// `api/schemas/` their contract; `accounts/` guards sessions and passwords, `mail/` writes the emails, `pages/` serves
// the page that `src/portal-ui` is built into, `documents/` and `samples/` show the published APIs. `stores/` has the
// portal's own tables, beside those of the registry. The portal only looks at the counters. It knows nothing of the
// edge, and not which database or counters it has.

import { randomUUID } from 'node:crypto'
import { type FastifyReply, fastify } from 'fastify'
import { loggedMs } from '../platform/http/access-line.ts'
import { errors } from '../platform/http/errors.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import { type Refusal, renderProblem } from '../platform/http/problem.ts'
import { createRefuseSocket } from '../platform/http/refuse-socket.ts'
import { createUnreadableHandler, type Exchange } from '../platform/http/unreadable.ts'
import { withAuditContext } from '../registry/audit/audit-context.ts'
import { carrySessions, sessionCookie } from './accounts/carry-sessions.ts'
import { createLimitChanges } from './accounts/limit-changes.ts'
import {
  createRequireFactor,
  requireOperator,
  requireProof,
  requireSession,
} from './accounts/require-session.ts'
import { serializeStrictly } from './api/answer-serializer.ts'
import { describeApi } from './api/openapi.ts'
import { notFound, PortalError } from './api/portal-error.ts'
import { refusalOf } from './api/refusal-of.ts'
import { createRefuseCrossSite } from './api/refuse-cross-site.ts'
import { answerAsDescribed, noteAccess, noteFactor, noteProof } from './api/route-schema.ts'
import { registerAlerts } from './api/routes/alerts.ts'
import { registerApis } from './api/routes/apis.ts'
import { registerApplicationSummaries } from './api/routes/application-summaries.ts'
import { registerApplications } from './api/routes/applications.ts'
import { registerBrandPictures } from './api/routes/brand-pictures.ts'
import { registerCalls } from './api/routes/calls.ts'
import { registerCertificates } from './api/routes/certificates.ts'
import { registerEmailChanges } from './api/routes/email-changes.ts'
import { registerEnrolments } from './api/routes/enrolments.ts'
import { registerFactors } from './api/routes/factors.ts'
import { registerFacts } from './api/routes/facts.ts'
import { registerGuides } from './api/routes/guides.ts'
import { registerHistory } from './api/routes/history.ts'
import { registerKeys } from './api/routes/keys.ts'
import { registerLimitRequests } from './api/routes/limit-requests.ts'
import { registerLiveUsage } from './api/routes/live-usage.ts'
import { registerMailOptOuts } from './api/routes/mail-opt-outs.ts'
import { registerMailbox } from './api/routes/mailbox.ts'
import { registerMoves } from './api/routes/moves.ts'
import { registerProviderProof, registerProviderSignIn } from './api/routes/oidc.ts'
import { recordReads } from './api/routes/operator/record-reads.ts'
import { registerOperator } from './api/routes/operator/register-operator.ts'
import { registerOwnData } from './api/routes/own-data.ts'
import { registerPageKeys } from './api/routes/page-keys.ts'
import { createSendPage, registerPages, wantsPage } from './api/routes/pages.ts'
import { registerPasswordResets } from './api/routes/password-resets.ts'
import { registerProblems } from './api/routes/problems.ts'
import { registerProfile } from './api/routes/profile.ts'
import { registerSandbox, registerSandboxConsents } from './api/routes/sandbox.ts'
import {
  registerSandboxAuthority,
  registerTestCertificates,
} from './api/routes/sandbox-certificates.ts'
import { registerSecurityTxt } from './api/routes/security-txt.ts'
import { registerSelfRotation } from './api/routes/self-rotation.ts'
import { registerOwnSession, registerSignIn } from './api/routes/session.ts'
import { registerSessions } from './api/routes/sessions.ts'
import { registerSignUp } from './api/routes/sign-up.ts'
import { registerStepUp } from './api/routes/step-up.ts'
import { registerSubscriptions } from './api/routes/subscriptions.ts'
import { registerTerms } from './api/routes/terms.ts'
import { registerTermsPage } from './api/routes/terms-page.ts'
import { takeStrictInput } from './api/strict-input.ts'
import { createToLocalName } from './api/to-local-name.ts'
import { createFrontPages } from './documents/front-page.ts'
import { createProblemSamples } from './documents/problem-sample.ts'
import { createServedDocument } from './documents/served-document.ts'
import { createGuides } from './guides/guides.ts'
import { sendSecurityHeaders } from './pages/security-headers.ts'
import type { PortalApp } from './portal-app.ts'
import type { PortalServices } from './services.ts'

/** Builds the portal: its JSON API and its pages; does not listen yet. */
export function createPortal(services: PortalServices): PortalApp {
  const { portalUrl, metrics, events, circumstances, auditContext, writeAccessLine, onError } =
    services
  /** The newest of a connection. */
  const exchanges = new WeakMap<object, Exchange>()
  const app: PortalApp = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    // The longest target that Node accepts: an overlong id gets the same answer as an unknown one.
    routerOptions: { maxParamLength: 16_384 },
    bodyLimit: 65_536,
    ajv: {
      // Unknown members and numbers sent as text are errors; the validator must not correct them.
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        allErrors: false,
        verbose: true,
      },
    },
    // Fastify's own answer repeats the target, and people paste keys into targets.
    frameworkErrors: (_error, _request, reply) => void refuse(reply, notFound().refusal),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) =>
      createHttpServer(
        {
          tls: services.tls,
          // Without this limit a client that does not read its responses would hold them, their files and the connection.
          idleMs: 30_000,
          keepAliveTimeout: 72_000,
        },
        handle,
      ),
    clientErrorHandler: createUnreadableHandler({
      latest: (socket) => exchanges.get(socket),
      refuseSocket: createRefuseSocket({
        portalUrl,
        randomUUID,
        onRefused: (code) =>
          metrics.countRequest({ route: undefined, method: 'none', status: errors[code].status }),
      }),
    }),
  })
  app.server.prependListener('request', (request, response) => {
    exchanges.set(request.socket, { request, response })
  })
  serializeStrictly(app)
  takeStrictInput(app)
  answerAsDescribed(app)
  const describe = describeApi(app)

  function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
    const context = { requestId: reply.request.id, portalUrl: portalUrl() }
    const { status, headers, body } = renderProblem(refusal, context)
    // As bytes: Fastify would add a charset to a string, which JSON types do not have.
    return reply.code(status).headers(headers).send(Buffer.from(body))
  }

  const guides = createGuides(services)
  const servedDocument = createServedDocument(services)
  const frontPages = createFrontPages({ ...services, servedDocument })
  const problemSamples = createProblemSamples({ ...services, servedDocument })
  const sendPage = createSendPage({ ...services, guides, frontPages, servedDocument })
  app.setNotFoundHandler((request, reply) =>
    wantsPage(request) ? sendPage(request, reply, 404) : refuse(reply, notFound().refusal),
  )
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error)
    if (refusal === undefined) onError(request.id, error)
    if (error instanceof PortalError && error.fact !== undefined) {
      events.record({ ...circumstances(request), ...error.fact })
    }
    return refuse(reply, refusal ?? { code: 'INTERNAL_ERROR' })
  })

  app.decorateRequest('developer', null)
  app.addHook('onRequest', createRefuseCrossSite(portalUrl))
  app.addHook('onRequest', createToLocalName(portalUrl))
  app.addHook('onRequest', (request, _reply, done) => {
    withAuditContext(auditContext(request), done)
  })
  app.addHook('onSend', async (_request, reply) => {
    // Responses that browsers may store set their own header.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const { elapsedTime, statusCode: status } = reply
    const route = routeOptions.url
    metrics.countRequest({ route, method, status, seconds: elapsedTime / 1000 })
    // A page has dozens of files, which say nothing more than its own line.
    if (status < 400 && route?.startsWith('/assets/') === true) return
    writeAccessLine(status, () => {
      const { actor, requestId } = circumstances(request)
      const { address } = auditContext(request).personal
      return { requestId, method, route, actor, address, totalMs: loggedMs(elapsedTime) }
    })
  })

  sendSecurityHeaders(app, services)
  registerProblems(app, { ...services, problemSamples })
  registerSecurityTxt(app, services)
  registerBrandPictures(app, services)
  registerTermsPage(app, services)
  registerApis(app, { ...services, servedDocument, frontPages })
  registerGuides(app, { ...services, guides, problemSamples, frontPages, servedDocument })
  registerMailOptOuts(app, services)
  registerSelfRotation(app, services)
  registerMailbox(app, services)
  registerFacts(app, {
    ...services,
    describe: () =>
      describe({ portalUrl: portalUrl(), sessionCookie: sessionCookie(portalUrl()).name }),
  })
  registerSandbox(app, services)
  registerSandboxAuthority(app, services)
  app.register(pages)
  app.register(visitors)
  return app

  /** Behind the plugin of the headers, so that a route can have its own. */
  function pages(scope: PortalApp, _options: object, done: () => void): void {
    registerPages(scope, { ...services, guides, frontPages, servedDocument }, sendPage)
    done()
  }

  /** Routes for every visitor, with or without a session. */
  function visitors(scope: PortalApp, _options: object, done: () => void): void {
    carrySessions(scope, services)
    registerSignUp(scope, services)
    registerSignIn(scope, services)
    registerProviderSignIn(scope, services)
    registerPasswordResets(scope, services)
    registerEmailChanges(scope, services)
    registerEnrolments(scope, services)
    scope.register(developers)
    scope.register(operators, { prefix: '/api/operator' })
    done()
  }

  /** Routes for signed-in developers. */
  function developers(scope: PortalApp, _options: object, done: () => void): void {
    noteAccess(scope, 'session')
    scope.addHook('onRequest', requireSession)
    scope.addHook('onRequest', createLimitChanges(services))
    scope.addHook('onRequest', requireProof)
    registerOwnSession(scope, services)
    registerSessions(scope, services)
    registerStepUp(scope, services)
    registerProviderProof(scope, services)
    registerFactors(scope, services)
    scope.register(enrolled)
    done()
  }

  /** Routes for developers who have a second factor, where every developer needs one. */
  function enrolled(scope: PortalApp, _options: object, done: () => void): void {
    noteFactor(scope)
    scope.addHook('onRequest', createRequireFactor(services))
    registerProfile(scope, services)
    registerTerms(scope, services)
    registerOwnData(scope, services)
    registerApplications(scope, services)
    registerApplicationSummaries(scope, services)
    registerSubscriptions(scope, services)
    registerMoves(scope, services)
    registerLimitRequests(scope, services)
    registerKeys(scope, services)
    registerPageKeys(scope, services)
    registerAlerts(scope, services)
    registerCertificates(scope, services)
    registerLiveUsage(scope, services)
    registerHistory(scope, services)
    registerCalls(scope, services)
    registerSandboxConsents(scope, services)
    registerTestCertificates(scope, services)
    done()
  }

  /** Routes for signed-in operators; their paths begin after `/api/operator`. Every change needs a proof. */
  function operators(scope: PortalApp, _options: object, done: () => void): void {
    noteAccess(scope, 'operator')
    noteProof(scope)
    scope.addHook('onRequest', requireSession)
    scope.addHook('onRequest', requireOperator)
    scope.addHook('onRequest', createLimitChanges(services))
    scope.addHook('onRequest', requireProof)
    recordReads(scope, services)
    registerOperator(scope, services)
    done()
  }
}
