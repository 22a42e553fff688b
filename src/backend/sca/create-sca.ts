import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { isOutage } from '../../platform/database.ts'
import type { Logger } from '../../platform/log.ts'
import type { Bank } from '../bank.ts'
import { authorisationTransitions, redirectLinkMs } from '../domain/authorisation.ts'
import { isUuid } from '../domain/identifiers.ts'
import { scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import { hasPsuDecided } from '../processes/clockwork.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import { promised } from '../stores/promised.ts'
import { choiceOf } from './choice.ts'
import { cookieFor, cookieOf, csrfCookie, isCrossSite, sessionCookie } from './cookies.ts'
import { formHeaders, strictHeaders } from './page-headers.ts'
import { decisionPage, messagePage, signInPage, stylesheet } from './pages.ts'
import { isSignedIn, newSecret } from './session.ts'
import { signIn } from './sign-in.ts'
import { summarise } from './summary.ts'
import { takeDecision } from './take-decision.ts'

export interface ScaOptions {
  readonly bank: Bank
  readonly clockwork: Clockwork
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface OfAuthorisation {
  Params: { id: string }
}

/**
 * Creates the pages on which a PSU approves or refuses what a TPP has asked for
 * by redirect: sign in, see what it is, decide with a one-time password.
 * Server-rendered, without scripts. A link works for ten minutes and until the
 * decision; the id in it is unguessable, and who has only the link sees no more
 * than what kind of approval is asked for.
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
    const status = error.statusCode ?? (isOutage(error) ? 503 : 500)
    if (status >= 500) log.error({ err: error }, 'a page of the bank failed')
    return say(reply, status, 'That did not work', 'Go back and try again.')
  })

  app.get('/style.css', (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(stylesheet),
  )

  app.get<OfAuthorisation>('/authorise/:id', async (request, reply) => {
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    const csrfToken = newSecret()
    reply.header('set-cookie', cookieFor(authorisation, csrfCookie, csrfToken, isSecure))
    const psuId = authorisation.psuId ?? ''
    return showSignIn(reply, authorisation, { csrfToken, psuId, error: undefined })
  })

  app.post<OfAuthorisation>('/authorise/:id', async (request, reply) => {
    const form = formOf(request)
    const csrfToken = form.get('csrf') ?? ''
    if (isCrossSite(request, csrfToken)) return say(reply, 403, ...staleForm)
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    const session = newSecret()
    const psuId = form.get('psu') ?? ''
    const password = form.get('password') ?? ''
    const entry = { psuId, password, session, now: now() }
    switch (await signIn(bank, clockwork, authorisation.id, entry)) {
      case 'wrong': {
        const error = 'User name or password is wrong.'
        return showSignIn(reply.code(422), authorisation, { csrfToken, psuId, error })
      }
      case 'signed-in':
        reply.header('set-cookie', cookieFor(authorisation, sessionCookie, session, isSecure))
        return reply.redirect(`/authorise/${authorisation.id}/decision`, 303)
      case 'decided':
        return leave(reply, authorisation, { isApproved: false })
    }
  })

  app.get<OfAuthorisation>('/authorise/:id/decision', async (request, reply) => {
    const authorisation = await findOpen(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    if (!isSignedIn(authorisation, cookieOf(request, sessionCookie))) {
      return reply.redirect(`/authorise/${authorisation.id}`, 303)
    }
    await bank.stores.transaction(async (stores) => {
      await clockwork.lock(stores, parentOf(authorisation), now())
      const current = promised(await stores.authorisations.find(authorisation.id))
      // From now on the PSU is being asked.
      const status = after(authorisationTransitions, current.status, 'start')
      if (status !== undefined) await stores.authorisations.update(current.id, { status })
    })
    const csrfToken = newSecret()
    reply.header('set-cookie', cookieFor(authorisation, csrfCookie, csrfToken, isSecure))
    return showDecision(reply, authorisation, { csrfToken, error: undefined })
  })

  app.post<OfAuthorisation>('/authorise/:id/decision', async (request, reply) => {
    const form = formOf(request)
    const csrfToken = form.get('csrf') ?? ''
    if (isCrossSite(request, csrfToken)) return say(reply, 403, ...staleForm)
    const authorisation = await findShown(request.params.id)
    if (authorisation === undefined) return say(reply, 404, 'This link does not work', unknownLink)
    const session = cookieOf(request, sessionCookie)
    if (!isSignedIn(authorisation, session)) {
      return reply.redirect(`/authorise/${authorisation.id}`, 303)
    }
    const isApproved = form.get('decision') === 'approve'
    const choice = isApproved ? await choiceOf(bank.stores, authorisation) : undefined
    const offered = new Set(choice?.options.map(({ id }) => id))
    const picked = form.getAll('account').filter((id) => offered.has(id))
    if (choice !== undefined && picked.length === 0) {
      const error = `Choose at least one account under “${choice.question}”.`
      return showDecision(reply.code(422), authorisation, { csrfToken, error })
    }
    const outcome = await takeDecision(bank, clockwork, authorisation.id, {
      session,
      isApproved,
      oneTimePassword: form.get('code') ?? '',
      picked: choice === undefined ? undefined : picked,
      now: now(),
    })
    switch (outcome.kind) {
      case 'wrong': {
        const error = 'The one-time password is wrong.'
        return showDecision(reply.code(422), authorisation, { csrfToken, error })
      }
      case 'signed-out':
        return reply.redirect(`/authorise/${authorisation.id}`, 303)
      case 'decided':
        return leave(reply, authorisation, outcome)
    }
  })

  /** An authorisation whose link still works: not too old, and not decided by somebody else. */
  async function findShown(id: string): Promise<Authorisation | undefined> {
    const found = isUuid(id) ? await bank.stores.authorisations.find(id) : undefined
    if (found?.approach !== 'REDIRECT') return undefined
    return found.createdAt.getTime() + redirectLinkMs <= now() ? undefined : found
  }

  /** One that can still be decided here and now. */
  async function findOpen(id: string): Promise<Authorisation | undefined> {
    const found = await findShown(id)
    if (found === undefined || hasPsuDecided(found)) return undefined
    // What time has done to its parent by now may have decided it.
    const parent = parentOf(found)
    await clockwork[parent.kind](parent.id, now())
    const current = await bank.stores.authorisations.find(id)
    return current === undefined || hasPsuDecided(current) ? undefined : current
  }

  async function showSignIn(
    reply: FastifyReply,
    authorisation: Authorisation,
    form: { csrfToken: string; psuId: string; error: string | undefined },
  ) {
    const { title } = await summarise(bank.stores, authorisation)
    const hint = bank.credentials.hints?.password
    return sendForm(reply, authorisation, signInPage({ title, ...form, hint }))
  }

  async function showDecision(
    reply: FastifyReply,
    authorisation: Authorisation,
    form: { csrfToken: string; error: string | undefined },
  ) {
    const { stores, credentials } = bank
    const psu = promised(await stores.psus.find(authorisation.psuId ?? ''))
    const page = decisionPage({
      summary: await summarise(stores, authorisation),
      name: psu.name,
      choice: await choiceOf(stores, authorisation),
      needsCode: scaMethodsOf(psu.behaviour).length > 0,
      hint: credentials.hints?.oneTimePassword,
      ...form,
    })
    return sendForm(reply, authorisation, page)
  }

  return app
}

/** Title and text about a form that is not ours, or older than its cookie. */
const staleForm = ['This form is no longer valid', 'Follow the link once more.'] as const

const unknownLink =
  'It is used up, too old or incomplete. Return to the service you came from and start again.'

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

function sendForm(reply: FastifyReply, authorisation: Authorisation, page: string) {
  return reply
    .headers({ 'content-type': 'text/html; charset=utf-8', ...formHeaders(authorisation) })
    .send(page)
}

interface Outcome {
  readonly isApproved: boolean
  readonly confirmationCode?: string
}

/** Back to the TPP, with the code it confirms with if it has to; otherwise nothing is appended. */
function leave(
  reply: FastifyReply,
  { id, redirectUri, nokRedirectUri }: Authorisation,
  { isApproved, confirmationCode }: Outcome,
) {
  const target = isApproved ? redirectUri : (nokRedirectUri ?? redirectUri)
  if (target === null) throw new Error(`authorisation ${id} has nowhere to return to`)
  if (confirmationCode === undefined) return reply.redirect(target, 303)
  const url = new URL(target)
  url.searchParams.set('confirmationCode', confirmationCode)
  return reply.redirect(url.href, 303)
}

function say(reply: FastifyReply, status: number, title: string, text: string) {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .send(messagePage(title, text))
}
