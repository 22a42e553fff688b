import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertFound } from '../assert-found.ts'
import { authorisationTransitions } from '../domain/authorisation.ts'
import { scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import {
  type AuthorisationRoute,
  findLinked,
  findUndecided,
  type RouteOptions,
} from './authorisation-route.ts'
import { choiceOf } from './choice.ts'
import { cookieOf, formToken, isCrossSite, sessionCookie } from './cookies.ts'
import { blockedForPeople } from './for-people.ts'
import { type DecisionPageOptions, decisionPage, nameOf } from './pages.ts'
import { redirectBack, redirectToSignIn, sendForm, sendMessage } from './send.ts'
import { isSignedIn } from './session.ts'
import { summarise } from './summary.ts'
import { takeDecision } from './take-decision.ts'
import { visitOf } from './visit.ts'

/** Registers the form in which a signed-in PSU approves or rejects, and the route that receives it. */
export function registerDecisionRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { bank, now } = options
  const isSecure = bank.scaPublicUrl.startsWith('https:')

  app.get<AuthorisationRoute>('/authorise/:id/decision', showDecision)
  app.post<AuthorisationRoute>('/authorise/:id/decision', takeForm)

  async function showDecision(request: FastifyRequest<AuthorisationRoute>, reply: FastifyReply) {
    const authorisation = await findUndecided(options, request.params.id)
    if (authorisation === undefined) return sendMessage(bank, reply, 404, 'link')
    const session = cookieOf(request, authorisation, sessionCookie, isSecure)
    if (session === undefined || !isSignedIn(authorisation, session)) {
      return redirectToSignIn(reply, authorisation, session)
    }
    await bank.stores.transaction(async (stores) => {
      const locked = await lockAuthorisation({ bank, stores, now: now() }, authorisation)
      // The bank has now asked the PSU. A repeated GET changes nothing.
      const status = after(authorisationTransitions, locked.authorisation.status, 'start')
      if (status !== undefined) await stores.authorisations.update(authorisation.id, { status })
    })
    // The form may show the state from before the lock; the POST checks again under the lock.
    const csrfToken = formToken(authorisation, session)
    // In the sandbox, a link beside the field fills in the code.
    const isFilled = request.query['fill'] === 'code'
    return show(reply, authorisation, { csrfToken, isFilled, error: undefined })
  }

  async function takeForm(request: FastifyRequest<AuthorisationRoute>, reply: FastifyReply) {
    const form = request.body ?? new URLSearchParams()
    const csrfToken = form.get('csrf') ?? ''
    const authorisation = await findLinked(options, request.params.id)
    if (authorisation === undefined) return sendMessage(bank, reply, 404, 'link')
    const session = cookieOf(request, authorisation, sessionCookie, isSecure)
    if (isCrossSite(request, authorisation, session, csrfToken)) {
      return sendMessage(bank, reply, 403, 'stale')
    }
    if (!isSignedIn(authorisation, session)) return redirectToSignIn(reply, authorisation, session)
    const isApproved = form.get('decision') === 'approve'
    const { words } = visitOf(bank.brand(), request)
    const choice = isApproved ? await choiceOf(bank, authorisation, words) : undefined
    const offered = new Set(choice?.options.map(({ id }) => id))
    const picked = form.getAll('account').filter((id) => offered.has(id))
    const showError = (error: string) =>
      show(reply.code(422), authorisation, { csrfToken, error, isFilled: false })
    if (choice !== undefined && picked.length === 0) return showError(words.t('bank.choose.none'))
    const outcome = await takeDecision(bank, authorisation, {
      session,
      isApproved,
      oneTimePassword: form.get('code') ?? '',
      picked: choice === undefined ? undefined : picked,
      now: now(),
    })
    switch (outcome.kind) {
      case 'wrong':
        return showError(words.t('bank.code.wrong'))
      case 'blocked':
        return showError(blockedForPeople(outcome.until, bank.timeZone, words))
      case 'signed-out':
        return redirectToSignIn(reply, authorisation, session)
      case 'decided':
        return redirectBack(bank, reply, authorisation, outcome)
    }
  }

  async function show(
    reply: FastifyReply,
    authorisation: Authorisation,
    form: Pick<DecisionPageOptions, 'csrfToken' | 'isFilled' | 'error'>,
  ) {
    const { stores, sandbox } = bank
    const visit = visitOf(bank.brand(), reply.request)
    const { words } = visit
    const psu = assertFound(await stores.psus.find(authorisation.psuId ?? ''))
    const app = nameOf(authorisation, visit)
    const page = decisionPage({
      ...form,
      visit,
      summary: await summarise(bank, authorisation, { words, app }),
      asker: authorisation,
      name: sandbox?.nameIn(words.language, psu.name) ?? psu.name,
      choice: await choiceOf(bank, authorisation, words),
      needsCode: scaMethodsOf(psu.behaviour).length > 0,
      sandbox,
    })
    return sendForm(bank, reply, authorisation, page)
  }
}
