// This folder guards accounts: sessions, passwords and how often people may try. Read this file first, then
// `require-session.ts`, which accepts or rejects a request. `check-password.ts` checks a password after `attempts.ts`
// has let the attempt pass, and `fair-queue.ts` says when its turn has come; `known-device.ts` keeps owners apart from
// strangers; `password-weakness.ts` judges new ones. `open-attempts.ts` decides where attempts count: in this process,
// or in Redis for several. Nothing here depends on the routes that use it, or on applications.

import { randomBytes } from 'node:crypto'
import cookie from '@fastify/cookie'
import session from '@fastify/session'
import type { FastifyRequest } from 'fastify'
import { PortalError } from '../api/portal-error.ts'
import type { PortalApp } from '../portal-app.ts'
import type { Needs } from '../services.ts'
import { createSessionStore } from './session-store.ts'

/**
 * Gives every request of a scope its session. Looks it up in the database each
 * time, so that a session ended elsewhere ends here too; browsers must not
 * store the responses.
 *
 * The cookie holds the signed id and nothing else, and lasts as long as the
 * browser runs. Only signing in sets it: a visitor gets no cookie.
 */
export function carrySessions(
  scope: PortalApp,
  { portalUrl, secrets, stores }: Needs<'portalUrl' | 'secrets', 'sessions'>,
): void {
  const { name, attributes } = sessionCookie(portalUrl())

  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseDoubledCookie(request, name)
  })
  // Runs before the plugin's own hook, which deletes an unknown cookie: when an
  // old one is still under way while its owner gets a new one, that would sign
  // the owner out. It also deletes a cookie that an older SESSION_SECRET signed,
  // which is valid until that secret leaves the list.
  scope.addHook('onSend', async (request) => {
    const { session, cookies } = request
    if (session?.signIn === undefined) request.cookies = {}
    else if (secrets.cookie.unsign(cookies[name] ?? '').value === session.sessionId) {
      request.cookies = { ...cookies, [name]: session.encryptedSessionId }
    }
  })
  // The header that deletes the cookie has these attributes, too: `__Host-` needs Secure even then.
  scope.register(cookie, { parseOptions: attributes })
  scope.register(session, {
    cookieName: name,
    cookie: attributes,
    secret: secrets.cookie,
    idGenerator: () => randomBytes(32).toString('base64url'),
    store: createSessionStore(stores.sessions),
    saveUninitialized: false,
    rolling: false,
  })
}

/**
 * The session's cookie for a portal at this origin. `__Host-` binds it to the
 * host, over TLS, for every path (RFC 6265bis, 4.1.3.2); plain http, as on a
 * developer's own machine, cannot have that.
 */
export function sessionCookie(portalUrl: string) {
  const secure = portalUrl.startsWith('https:')
  return {
    name: secure ? '__Host-tollgate' : 'tollgate_session',
    attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
  } as const
}

/** If there are two, the portal set only one, and cannot find out which. */
function refuseDoubledCookie(request: FastifyRequest, name: string): void {
  const pairs = (request.headers.cookie ?? '').split(';')
  const sent = pairs.filter((pair) => pair.split('=', 1)[0]?.trim() === name)
  if (sent.length < 2) return
  throw new PortalError({
    code: 'HEADERS_INVALID',
    detail: 'Your browser sent the session cookie more than once. Delete the cookies of this site.',
  })
}
