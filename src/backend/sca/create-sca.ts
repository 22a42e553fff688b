import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from '../../platform/log.ts'
import type { Bank } from '../bank.ts'
import { redirectLinkMs } from '../domain/authorisation.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import { isDecided } from '../processes/clockwork.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import { isUnavailable } from '../unavailable.ts'
import { approve, type FormDecision } from './approve.ts'
import { approvalPage, messagePage, stylesheet } from './pages.ts'
import { summarise } from './summary.ts'

export interface ScaOptions {
  readonly bank: Bank
  readonly clockwork: Clockwork
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const csrfCookie = 'sca_csrf'

/**
 * Creates the pages on which a PSU approves or refuses what a TPP has asked for
 * by redirect. Server-rendered, without scripts. A link works for ten minutes
 * and until the decision; the id in it is unguessable, and nothing is decided
 * without the PSU's password.
 */
export function createSca({ bank, clockwork, log, now }: ScaOptions): FastifyInstance {
  const isSecure = bank.scaPublicUrl.startsWith('https:')
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: 16_384,
    requestTimeout: 30_000,
    connectionTimeout: 30_000,
    frameworkErrors: (_error, _request, reply) => {
      void say(reply.headers(strictHeaders), 400, 'Nothing here', unknownLink)
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(body.toString())),
  )
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(strictHeaders)
    done()
  })
  app.setNotFoundHandler((_request, reply) => say(reply, 404, 'Nothing here', unknownLink))
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? (isUnavailable(error) ? 503 : 500)
    if (status >= 500) log.error({ err: error }, 'a page of the bank failed')
    return say(reply, status, 'That did not work', 'Go back and try again.')
  })

  app.get('/style.css', (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(stylesheet),
  )

  app.get<{ Params: { id: string } }>('/authorise/:id', async (request, reply) => {
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    const csrfToken = randomBytes(32).toString('base64url')
    reply.header('set-cookie', cookie(csrfToken, isSecure))
    return show(reply, authorisation, { csrfToken, psuId: '', error: undefined })
  })

  app.post<{ Params: { id: string } }>('/authorise/:id', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const csrfToken = form.get('csrf') ?? ''
    if (isCrossSite(request, csrfToken)) {
      return say(reply, 403, 'This form is no longer valid', 'Follow the link once more.')
    }
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    const psuId = form.get('psu') ?? ''
    const outcome = await approve(bank, clockwork, authorisation.id, {
      psuId,
      password: form.get('password') ?? '',
      decision: decisionOf(form),
      now: now(),
    })
    if (outcome.kind === 'wrong') {
      const error = 'User name or password is wrong.'
      return show(reply.code(422), authorisation, { csrfToken, psuId, error })
    }
    return leave(reply, authorisation, outcome.status)
  })

  /** An authorisation that can still be decided here and now. */
  async function findOpen(id: string): Promise<Authorisation | undefined> {
    const found = isUuid(id) ? await bank.stores.authorisations.find(id) : undefined
    if (found?.approach !== 'REDIRECT') return undefined
    if (found.createdAt.getTime() + redirectLinkMs <= now() || isDecided(found)) return undefined
    // What time has done to its parent by now may have decided it.
    const parent = parentOf(found)
    await clockwork[parent.kind](parent.id, now())
    const current = await bank.stores.authorisations.find(id)
    return current === undefined || isDecided(current) ? undefined : current
  }

  async function show(
    reply: FastifyReply,
    authorisation: Authorisation,
    form: { csrfToken: string; psuId: string; error: string | undefined },
  ) {
    const summary = await summarise(bank.stores, authorisation)
    const psuId = form.psuId === '' ? (authorisation.psuId ?? '') : form.psuId
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        // Browsers apply form-action to the redirect that follows a form, too.
        'content-security-policy': policy(originsOf(authorisation)),
      })
      .send(approvalPage({ summary, ...form, psuId }))
  }

  return app
}

const unknownLink =
  'It is used up, too old or incomplete. Return to the service you came from and start again.'

const strictHeaders = {
  'content-security-policy': policy([]),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

function policy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** Where the decision leads; a space or semicolon cannot be part of an origin. */
function originsOf({ redirectUri, nokRedirectUri }: Authorisation): string[] {
  const origins = [redirectUri, nokRedirectUri].flatMap((uri) => URL.parse(uri ?? '')?.origin ?? [])
  return [...new Set(origins)]
}

function cookie(value: string, isSecure: boolean): string {
  const attributes = `Path=/authorise; HttpOnly; SameSite=Strict; Max-Age=${redirectLinkMs / 1000}`
  return `${csrfCookie}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`
}

/** A form of ours carries the value of the cookie; another site can neither read nor set that. */
function isCrossSite({ headers }: FastifyRequest, token: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  const sent = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === csrfCookie)?.[1]
  const a = Buffer.from(sent ?? '')
  const b = Buffer.from(token)
  return b.length < 43 || a.length !== b.length || !timingSafeEqual(a, b)
}

function decisionOf(form: URLSearchParams): FormDecision {
  return form.get('decision') === 'approve' ? 'approve' : 'refuse'
}

/** Back to the TPP; plain redirect without confirmation appends nothing. */
function leave(reply: FastifyReply, authorisation: Authorisation, status: 'finalised' | 'failed') {
  const { redirectUri, nokRedirectUri } = authorisation
  const target = status === 'finalised' ? redirectUri : (nokRedirectUri ?? redirectUri)
  if (target === null) throw new Error(`authorisation ${authorisation.id} has nowhere to return to`)
  return reply.redirect(target, 303)
}

function say(reply: FastifyReply, status: number, title: string, text: string) {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .send(messagePage(title, text))
}
