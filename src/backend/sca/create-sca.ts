// This folder has the bank's own pages, where a customer signs in and approves or refuses. Read this file first: it
// lists the steps of a visit. `sign-in.ts` recognises the customer, `summary.ts` says what is asked,
// `take-decision.ts` hands the decision to `processes/decide.ts`, and `return-address.ts` leads back to the third
// party. `pages.ts` and `html.ts` write the HTML, without scripts, in the language of the visit (`visit.ts`). The pages
// decide nothing about payments or consents, and know no gateway and no portal.

import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { pictureRoute, servePicture } from '../../catalogue/brand/pictures.ts'
import type { Words } from '../../messages/format.ts'
import { isOutage } from '../../platform/database/database.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import type { ListenerTls } from '../../platform/http/tls.ts'
import type { Logger } from '../../platform/log/log.ts'
import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { authorisationTransitions, hasPsuDecided, redirectLinkMs } from '../domain/authorisation.ts'
import { isUuid } from '../domain/identifiers.ts'
import { scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import { choiceOf } from './choice.ts'
import {
  cookieFor,
  cookieOf,
  csrfCookie,
  formToken,
  isCrossSite,
  sessionCookie,
} from './cookies.ts'
import { styleOf } from './face.ts'
import { fontFile } from './fonts.ts'
import { timeForPeople } from './for-people.ts'
import { formHeaders, strictHeaders } from './page-headers.ts'
import {
  type DecisionPageOptions,
  decisionPage,
  frontPage,
  messagePage,
  nameOf,
  type Saying,
  type SignInPageOptions,
  signInPage,
} from './pages.ts'
import { type Outcome, returnAddress } from './return-address.ts'
import { isSignedIn, newSecret } from './session.ts'
import { signIn } from './sign-in.ts'
import { approvalOf, summarise } from './summary.ts'
import { takeDecision } from './take-decision.ts'
import { rememberLanguage, type Visit, visitOf } from './visit.ts'

export interface ScaOptions {
  /** TLS of the listener; undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  readonly bank: Bank
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface Exchange {
  readonly request: Pick<FastifyRequest, 'url' | 'headers'>
  readonly reply: FastifyReply
}

interface OfAuthorisation {
  Params: { id: string }
  Querystring: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Creates the pages on which a PSU approves or refuses what a TPP has asked for
 * by redirect: sign in, see what it is, decide with a one-time password.
 * Server-rendered, without scripts. A link works for ten minutes and until the
 * decision; the id in it is unguessable, and who has only the link sees no more
 * than what kind of approval is asked for.
 */
export function createSca({ bank, tls, log, now }: ScaOptions): FastifyInstance {
  const isSecure = bank.scaPublicUrl.startsWith('https:')
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: 16_384,
    serverFactory: (handle) =>
      createHttpServer({ tls, idleMs: 30_000, keepAliveTimeout: 72_000 }, handle),
    frameworkErrors: (_error, request, reply) => {
      void say({ request, reply: reply.headers(strictHeaders) }, 400, 'missing')
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
  app.setNotFoundHandler((request, reply) => say({ request, reply }, 404, 'missing'))
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? (isOutage(error) ? 503 : 500)
    if (status >= 500) log.error({ err: error }, 'a page of the bank failed')
    return say({ request, reply }, status, 'failed')
  })

  app.get('/', (request, reply) =>
    sendPage(reply, frontPage({ visit: visit(request), sandbox: bank.sandbox })),
  )

  app.get('/style.css', (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(styleOf(bank.brand())),
  )

  app.get<{ Params: { name: string } }>('/fonts/:name', async (request, reply) => {
    const font = await fontFile(request.params.name)
    if (font === undefined) return say({ request, reply }, 404, 'missing')
    return reply
      .headers({
        'content-type': 'font/woff2',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      .send(font)
  })

  app.get<OfAuthorisation>('/authorise/:id', async (request, reply) => {
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say({ request, reply }, 404, 'link')
    const secret = newSecret()
    reply.header('set-cookie', cookieFor(authorisation, csrfCookie, secret, isSecure))
    const csrfToken = formToken(authorisation, secret)
    const { as, [elsewhere]: isElsewhere } = request.query
    const { t } = visit(request).words
    const customer = bank.sandbox?.customers.find(({ id }) => id === as)
    return showSignIn({ request, reply }, authorisation, {
      csrfToken,
      psuId: customer?.id ?? authorisation.psuId ?? '',
      isFilled: customer !== undefined,
      error: undefined,
      notice: isElsewhere === undefined ? undefined : t('bank.signIn.elsewhere'),
    })
  })

  app.post<OfAuthorisation>('/authorise/:id', async (request, reply) => {
    const form = formOf(request)
    const csrfToken = form.get('csrf') ?? ''
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say({ request, reply }, 404, 'link')
    const secret = cookieOf(request, authorisation, csrfCookie, isSecure)
    if (isCrossSite(request, authorisation, secret, csrfToken)) {
      return say({ request, reply }, 403, 'stale')
    }
    const session = newSecret()
    const psuId = form.get('psu') ?? ''
    const password = form.get('password') ?? ''
    const entry = { psuId, password, session, now: now() }
    const signedIn = await signIn(bank, authorisation, entry)
    const { words } = visit(request)
    const again = (error: string) =>
      showSignIn({ request, reply: reply.code(422) }, authorisation, {
        csrfToken,
        psuId,
        error,
        isFilled: false,
        notice: undefined,
      })
    if (typeof signedIn === 'object') return again(blockedUntil(signedIn.blockedUntil, words))
    switch (signedIn) {
      case 'wrong':
        return again(words.t('bank.signIn.wrong'))
      case 'signed-in':
        reply.header('set-cookie', cookieFor(authorisation, sessionCookie, session, isSecure))
        return reply.redirect(`/authorise/${authorisation.id}/decision`, 303)
      case 'decided':
        return leave({ request, reply }, authorisation, { isApproved: false })
    }
  })

  app.get<OfAuthorisation>('/authorise/:id/decision', async (request, reply) => {
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say({ request, reply }, 404, 'link')
    const session = cookieOf(request, authorisation, sessionCookie, isSecure)
    if (session === undefined || !isSignedIn(authorisation, session)) {
      return askAgain(reply, authorisation, session)
    }
    await bank.stores.transaction(async (stores) => {
      const time = { now: now(), timeZone: bank.timeZone }
      const locked = await lockAuthorisation(stores, authorisation, time)
      // From now on the PSU is being asked.
      const status = after(authorisationTransitions, locked.authorisation.status, 'start')
      if (status !== undefined) await stores.authorisations.update(authorisation.id, { status })
    })
    const csrfToken = formToken(authorisation, session)
    const isFilled = request.query['fill'] === 'code'
    return showDecision({ request, reply }, authorisation, {
      csrfToken,
      isFilled,
      error: undefined,
    })
  })

  app.post<OfAuthorisation>('/authorise/:id/decision', async (request, reply) => {
    const form = formOf(request)
    const csrfToken = form.get('csrf') ?? ''
    const authorisation = await findShown(request.params.id)
    if (authorisation === undefined) return say({ request, reply }, 404, 'link')
    const session = cookieOf(request, authorisation, sessionCookie, isSecure)
    if (isCrossSite(request, authorisation, session, csrfToken)) {
      return say({ request, reply }, 403, 'stale')
    }
    if (!isSignedIn(authorisation, session)) return askAgain(reply, authorisation, session)
    const isApproved = form.get('decision') === 'approve'
    const { words } = visit(request)
    const choice = isApproved ? await choiceOf(bank, authorisation, words) : undefined
    const offered = new Set(choice?.options.map(({ id }) => id))
    const picked = form.getAll('account').filter((id) => offered.has(id))
    const again = (error: string) =>
      showDecision({ request, reply: reply.code(422) }, authorisation, {
        csrfToken,
        error,
        isFilled: false,
      })
    if (choice !== undefined && picked.length === 0) return again(words.t('bank.choose.none'))
    const outcome = await takeDecision(bank, authorisation, {
      session,
      isApproved,
      oneTimePassword: form.get('code') ?? '',
      picked: choice === undefined ? undefined : picked,
      now: now(),
    })
    switch (outcome.kind) {
      case 'wrong':
        return again(words.t('bank.code.wrong'))
      case 'blocked':
        return again(blockedUntil(outcome.until, words))
      case 'signed-out':
        return askAgain(reply, authorisation, session)
      case 'decided':
        return leave({ request, reply }, authorisation, outcome)
    }
  })

  app.get<{ Params: { use: string; digest: string } }>(pictureRoute, (request, reply) => {
    const served = servePicture(bank.brand(), request.params)
    if (served === undefined) return reply.callNotFound()
    return reply.headers(served.headers).send(served.body)
  })

  function visit(request: Exchange['request']): Visit {
    return visitOf(bank.brand(), request)
  }

  function say({ request, reply }: Exchange, status: number, saying: Saying) {
    return sendPage(reply.code(status), messagePage(saying, visit(request)))
  }

  function blockedUntil(until: number, { t, language }: Words): string {
    const time = timeForPeople(new Date(until).toISOString(), bank.timeZone, language)
    return t('bank.blocked', { time })
  }

  /** An authorisation whose link still works: not expired, and not decided by another person. */
  async function findShown(id: string): Promise<Authorisation | undefined> {
    const found = isUuid(id) ? await bank.stores.authorisations.find(id) : undefined
    if (found?.approach !== 'REDIRECT') return undefined
    return found.createdAt.getTime() + redirectLinkMs <= now() ? undefined : found
  }

  /** One that can still be decided here and now. */
  async function findOpen(id: string): Promise<Authorisation | undefined> {
    const found = await findShown(id)
    return found === undefined || hasPsuDecided(found) ? undefined : found
  }

  function showSignIn(
    { request, reply }: Exchange,
    authorisation: Authorisation,
    form: Pick<SignInPageOptions, 'csrfToken' | 'psuId' | 'isFilled' | 'error' | 'notice'>,
  ) {
    const page = signInPage({
      ...form,
      visit: visit(request),
      approval: approvalOf(authorisation),
      asker: authorisation,
      expectedPsuId: authorisation.psuId ?? undefined,
      sandbox: bank.sandbox,
    })
    return sendForm(reply, authorisation, page)
  }

  async function showDecision(
    { request, reply }: Exchange,
    authorisation: Authorisation,
    form: Pick<DecisionPageOptions, 'csrfToken' | 'isFilled' | 'error'>,
  ) {
    const { stores, sandbox } = bank
    const shown = visit(request)
    const { words } = shown
    const psu = assertFound(await stores.psus.find(authorisation.psuId ?? ''))
    const app = nameOf(authorisation, shown)
    const page = decisionPage({
      ...form,
      visit: shown,
      summary: await summarise(bank, authorisation, { words, app }),
      asker: authorisation,
      name: sandbox?.nameIn(words.language, psu.name) ?? psu.name,
      choice: await choiceOf(bank, authorisation, words),
      needsCode: scaMethodsOf(psu.behaviour).length > 0,
      sandbox,
    })
    return sendForm(reply, authorisation, page)
  }

  function sendForm(reply: FastifyReply, authorisation: Authorisation, page: string) {
    const headers = formHeaders([
      returnAddress(bank, authorisation, { isApproved: true }),
      returnAddress(bank, authorisation, { isApproved: false }),
    ])
    return sendPage(reply.headers(headers), page)
  }

  /** Back to where the application wants its customer. */
  function leave(exchange: Exchange, authorisation: Authorisation, outcome: Outcome) {
    const address = returnAddress(bank, authorisation, outcome)
    return address === undefined
      ? say(exchange, 200, 'done')
      : exchange.reply.redirect(address, 303)
  }

  return app
}

/** Of the query: the browser was signed in, and another one is now. */
const elsewhere = 'signed-in-elsewhere'

/** To the sign-in, which says why when another browser has taken the place of this one. */
function askAgain(
  reply: FastifyReply,
  { id, sessionSha256 }: Authorisation,
  session: string | undefined,
) {
  const isElsewhere = session !== undefined && sessionSha256 !== null
  return reply.redirect(`/authorise/${id}${isElsewhere ? `?${elsewhere}` : ''}`, 303)
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

function sendPage(reply: FastifyReply, page: string) {
  return reply.header('content-type', 'text/html; charset=utf-8').send(page)
}
