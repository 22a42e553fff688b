import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Authorisation } from '../stores/authorisations.ts'
import { type AuthorisationRoute, findUndecided, type RouteOptions } from './authorisation-route.ts'
import {
  cookieFor,
  cookieOf,
  csrfCookie,
  formToken,
  isCrossSite,
  sessionCookie,
} from './cookies.ts'
import { blockedForPeople } from './for-people.ts'
import { type SignInPageOptions, signInPage } from './pages.ts'
import { elsewhere, redirectBack, sendForm, sendMessage } from './send.ts'
import { newSecret } from './session.ts'
import { signIn } from './sign-in.ts'
import { approvalOf } from './summary.ts'
import { visitOf } from './visit.ts'

/** Registers the form with which a PSU signs in, and its target. */
export function registerSignInRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { bank, now } = options
  const isSecure = bank.scaPublicUrl.startsWith('https:')

  app.get<AuthorisationRoute>('/authorise/:id', async (request, reply) => {
    const authorisation = await findUndecided(options, request.params.id)
    if (authorisation === undefined) return sendMessage(bank, reply, 404, 'link')
    const secret = newSecret()
    reply.header('set-cookie', cookieFor(authorisation, csrfCookie, secret, isSecure))
    const { as, [elsewhere]: isElsewhere } = request.query
    const { t } = visitOf(bank.brand(), request).words
    const customer = bank.sandbox?.customers.find(({ id }) => id === as)
    return show(reply, authorisation, {
      csrfToken: formToken(authorisation, secret),
      psuId: customer?.id ?? authorisation.psuId ?? '',
      isFilled: customer !== undefined,
      error: undefined,
      notice: isElsewhere === undefined ? undefined : t('bank.signIn.elsewhere'),
    })
  })

  app.post<AuthorisationRoute>('/authorise/:id', async (request, reply) => {
    const form = request.body ?? new URLSearchParams()
    const csrfToken = form.get('csrf') ?? ''
    const authorisation = await findUndecided(options, request.params.id)
    if (authorisation === undefined) return sendMessage(bank, reply, 404, 'link')
    const secret = cookieOf(request, authorisation, csrfCookie, isSecure)
    if (isCrossSite(request, authorisation, secret, csrfToken)) {
      return sendMessage(bank, reply, 403, 'stale')
    }
    const session = newSecret()
    const psuId = form.get('psu') ?? ''
    const password = form.get('password') ?? ''
    const outcome = await signIn(bank, authorisation, { psuId, password, session, now: now() })
    const { words } = visitOf(bank.brand(), request)
    const showError = (error: string) =>
      show(reply.code(422), authorisation, {
        csrfToken,
        psuId,
        error,
        isFilled: false,
        notice: undefined,
      })
    if (typeof outcome === 'object') {
      return showError(blockedForPeople(outcome.blockedUntil, bank.timeZone, words))
    }
    switch (outcome) {
      case 'wrong':
        return showError(words.t('bank.signIn.wrong'))
      case 'signed-in':
        reply.header('set-cookie', cookieFor(authorisation, sessionCookie, session, isSecure))
        return reply.redirect(`/authorise/${authorisation.id}/decision`, 303)
      case 'used':
        return sendMessage(bank, reply, 404, 'link')
      case 'failed':
        return redirectBack(bank, reply, authorisation, { isApproved: false })
    }
  })

  function show(
    reply: FastifyReply,
    authorisation: Authorisation,
    form: Pick<SignInPageOptions, 'csrfToken' | 'psuId' | 'isFilled' | 'error' | 'notice'>,
  ) {
    const page = signInPage({
      ...form,
      visit: visitOf(bank.brand(), reply.request),
      approval: approvalOf(authorisation),
      asker: authorisation,
      expectedPsuId: authorisation.psuId ?? undefined,
      sandbox: bank.sandbox,
    })
    return sendForm(bank, reply, authorisation, page)
  }
}
