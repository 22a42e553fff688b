import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { redirectLinkMs } from '../domain/authorisation.ts'
import type { Authorisation } from '../stores/authorisations.ts'

/** Carries the secret that the signature of the sign-in form covers. */
export const csrfCookie = 'sca_csrf'
/** Carries the secret of a browser that has signed in. */
export const sessionCookie = 'sca_session'

/**
 * A cookie of one approval, so that a browser can have two approvals open. On
 * HTTPS the prefix `__Host-` keeps other hosts of the domain from setting it
 * (RFC 6265bis, 4.1.3.2). Such a cookie has the path `/`, so the id is in its name.
 */
export function cookieFor(
  { id }: Pick<Authorisation, 'id'>,
  name: string,
  value: string,
  isSecure: boolean,
): string {
  const attributes = `HttpOnly; SameSite=Strict; Max-Age=${redirectLinkMs / 1000}`
  return isSecure
    ? `${cookieName(id, name, isSecure)}=${value}; Path=/; Secure; ${attributes}`
    : `${name}=${value}; Path=/authorise/${id}; ${attributes}`
}

/** The value of a cookie of the approval in the path. */
export function cookieOf(
  { headers }: FastifyRequest,
  { id }: Pick<Authorisation, 'id'>,
  name: string,
  isSecure: boolean,
): string | undefined {
  const wanted = cookieName(id, name, isSecure)
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([found]) => found === wanted)?.[1]
}

function cookieName(id: string, name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}_${id}` : name
}

/**
 * The token in the forms of an approval: a signature over the secret in the
 * browser's cookie, with the key of the authorisation. A cookie that another
 * site sets is worthless without this key.
 *
 * @param secret that of the CSRF cookie; after sign-in, that of the session
 */
export function formToken({ formKey }: Pick<Authorisation, 'formKey'>, secret: string): string {
  return createHmac('sha256', formKey).update(secret).digest('base64url')
}

/** Whether a form comes from another site, or from a page of another approval or browser. */
export function isCrossSite(
  request: FastifyRequest,
  authorisation: Pick<Authorisation, 'formKey'>,
  secret: string | undefined,
  token: string,
): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  if (secret === undefined || secret.length < 43) return true
  const expected = Buffer.from(formToken(authorisation, secret))
  const given = Buffer.from(token)
  return expected.length !== given.length || !timingSafeEqual(expected, given)
}
