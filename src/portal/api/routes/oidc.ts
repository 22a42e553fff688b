import type { FastifyReply, FastifyRequest } from 'fastify'
import { languageOf } from '../../../messages/language.ts'
import { wordsOf } from '../../../messages/words.ts'
import { errors } from '../../../platform/http/errors.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import { beginSignIn, proveSession } from '../../accounts/begin-session.ts'
import { callbackPath, type OidcProvider } from '../../oidc/provider.ts'
import { refused } from '../../oidc/refused.ts'
import { keepTransaction, type Transaction, takeTransaction } from '../../oidc/transaction.ts'
import { helpHtml } from '../../pages/help-html.ts'
import { plainPage } from '../../pages/page.ts'
import { type PageLook, pageLook } from '../../pages/page-look.ts'
import { pagePaths } from '../../pages/page-paths.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import type { ProvidedAccount, ProvidedPerson } from '../../stores/accounts/identities.ts'
import { wordsOfError } from '../error-words.ts'
import { notFound, PortalError } from '../portal-error.ts'
import { refusalOf } from '../refusal-of.ts'
import { signedInAtProvider } from '../request.ts'
import { ProviderAddress, ProviderStart } from '../schemas/accounts.ts'
import { notAdmitted, signInResults } from './session.ts'

type ProviderServices = Needs<
  | 'oidc'
  | 'catalogue'
  | 'attempts'
  | 'metrics'
  | 'events'
  | 'circumstances'
  | 'secrets'
  | 'portalUrl'
  | 'page'
  | 'sandbox'
  | 'now',
  'identities' | 'portalState' | 'sessions'
>

/** Sign-in through the OpenID Connect provider: the way there, and the way back, which also ends proofs. */
export function registerProviderSignIn(app: PortalApp, services: ProviderServices): void {
  const { stores, attempts, metrics, events, circumstances } = services

  app.post(
    '/api/session/provider-sign-in',
    {
      schema: {
        operationId: 'startProviderSignIn',
        summary:
          'Start a sign-in through the OpenID Connect provider; open the address of the response in the same browser',
        body: ProviderStart,
        response: { 200: ProviderAddress },
        problems: ['NOT_FOUND', 'PROVIDER_UNAVAILABLE', 'ATTEMPTS_EXCEEDED'],
      },
    },
    (request, reply) => start(services, request, reply, null),
  )

  app.get(callbackPath, async (request, reply) => {
    if (services.oidc === undefined) return reply.callNotFound()
    try {
      const next = await finish(services.oidc, request, reply)
      // The page there judges `next`, and opens it for a signed-in developer.
      const query = next === null ? '' : `?next=${encodeURIComponent(next)}`
      return reply.redirect(`${pagePaths.signIn}${query}`, 303)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      const result = signInResults[refusal.code]
      if (result !== undefined) metrics.countSignIn(result, 'oidc')
      if (error instanceof PortalError && error.fact !== undefined) {
        events.record({ ...circumstances(request), ...error.fact })
      }
      return reply
        .code(errors[refusal.code].status)
        .headers({ ...refusal.headers, 'content-type': 'text/html; charset=utf-8' })
        .send(refusalPage(refusal, pageLook(services, reply)))
    }
  })

  /** @returns the path to open */
  async function finish(
    oidc: OidcProvider,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | null> {
    const transaction = takeTransaction(services, request, reply)
    if (transaction === undefined) {
      throw refused('This sign-in did not begin in this browser, or it took too long. Start again.')
    }
    await attempts.count('provider-of-network', { request: request.raw })
    const { sessionId, checks, beganAt, next } = transaction
    const mark = request.url.indexOf('?')
    const person = await oidc.finish({
      query: mark === -1 ? '' : request.url.slice(mark),
      checks,
      askedAgainAt: sessionId === null ? undefined : beganAt,
    })
    if (sessionId === null) await signIn(request, person)
    else await prove(request, person, sessionId)
    return next
  }

  async function signIn(request: FastifyRequest, person: ProvidedPerson): Promise<void> {
    const firstSignIn = await stores.portalState.signUpMode()
    const account = accepted(
      await stores.identities.signIn({
        ...person,
        firstSignIn,
        language: languageOf(request.headers),
      }),
    )
    const { id: developerId, roleChange } = account
    const subject = `developer:${developerId}`
    if (roleChange !== null) {
      events.record({ ...circumstances(request), event: `operator.${roleChange}`, subject })
    }
    const isSuspended = account.suspendedAt !== null
    const refusal = notAdmitted({ ...account, developerId, isSuspended }, true)
    if (refusal !== undefined) throw refusal
    const proof = { developerId, passwordHash: null, factor: 'oidc' } as const
    if (!(await beginSignIn(services, request, proof))) throw startAgain()
  }

  async function prove(
    request: FastifyRequest,
    { identity, isOperator }: ProvidedPerson,
    sessionId: string,
  ): Promise<void> {
    const { signIn } = request.session
    if (signIn === undefined || signIn.id !== sessionId) throw startAgain()
    const { id, isOperator: wasOperator } = signIn.developer
    const own = await stores.identities.find(id)
    if (own?.issuer !== identity.issuer || own.subject !== identity.subject) {
      throw refused(
        'You signed in as another person. Sign in with the account that you are using on the portal.',
      )
    }
    if (wasOperator && isOperator === false) {
      throw refused(
        'You are no longer in the operators’ group. Sign out of the portal and sign in again.',
      )
    }
    const proof = circumstances(request)
    if (!(await proveSession(stores.sessions, request, 'oidc'))) throw startAgain()
    events.record({ ...proof, event: 'proof.accepted', detail: { factor: 'oidc' } })
  }
}

/** Proof at the provider that the person of a session is at the keyboard. Needs a session. */
export function registerProviderProof(app: PortalApp, services: ProviderServices): void {
  app.post(
    '/api/session/provider',
    {
      schema: {
        operationId: 'startProviderProof',
        summary:
          'Start a proof through the OpenID Connect provider, for sessions that began there; open the address of the response',
        body: ProviderStart,
        response: { 200: ProviderAddress },
        problems: ['NOT_FOUND', 'PROVIDER_UNAVAILABLE', 'ATTEMPTS_EXCEEDED'],
      },
    },
    (request, reply) => {
      if (!signedInAtProvider(request)) throw notFound()
      return start(services, request, reply, request.session.signIn?.id ?? null)
    },
  )
}

async function start(
  services: ProviderServices,
  request: FastifyRequest<{ Body: ProviderStart }>,
  reply: FastifyReply,
  sessionId: Transaction['sessionId'],
): Promise<ProviderAddress> {
  const { oidc, attempts, now } = services
  if (oidc === undefined) throw notFound()
  await attempts.count('provider-of-network', { request: request.raw })
  const beganAt = now()
  const { url, checks } = await oidc.begin({ isAgain: sessionId !== null })
  const { next = null } = request.body
  keepTransaction(services, reply, { checks, sessionId, next, beganAt })
  return { url }
}

/** @throws {PortalError} PROVIDER_REFUSED */
function accepted(found: ProvidedAccount | 'email-taken' | 'closed'): ProvidedAccount {
  if (found === 'email-taken') {
    throw refused(
      'Another account on this portal already has your email address, and the portal does not merge accounts. Sign in with the password of that account, or delete it first.',
    )
  }
  if (found === 'closed') {
    throw refused(
      'You have no account yet, and the portal does not accept new accounts at the moment.',
    )
  }
  return found
}

/** The session, or the account, ended meanwhile. */
function startAgain(): PortalError {
  return refused('Your session or your account has changed in the meantime. Start again.')
}

/** The detail is English and says more, so that only readers of English get it. */
function refusalPage({ code, detail }: Refusal, look: PageLook): string {
  const { t } = wordsOf(look.language)
  const { title, help } = wordsOfError(code, look.language)
  const said = look.language === 'en' ? (detail ?? help) : help
  const body = `<div class="card">${helpHtml(said)}</div>
<ul class="ways"><li><a href="${pagePaths.signIn}">${t('problemPage.backToSignIn')}</a></li><li><a href="/problems/${code}">${t('problemPage.means')}</a></li></ul>`
  return plainPage({ title, body, look })
}
