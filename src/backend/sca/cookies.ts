import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { redirectLinkMs } from '../domain/authorisation.ts'
import type { Authorisation } from '../stores/authorisations.ts'

/** Carries what the forms of a page repeat. */
export const csrfCookie = 'sca_csrf'
/** Carries the secret of a browser that has signed in. */
export const sessionCookie = 'sca_session'

/** A cookie of one approval, so that a browser can have two approvals open. */
export function cookieFor(
  { id }: Authorisation,
  name: string,
  value: string,
  isSecure: boolean,
): string {
  const attributes = `Path=/authorise/${id}; HttpOnly; SameSite=Strict; Max-Age=${redirectLinkMs / 1000}`
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`
}

/** The value of a cookie that was sent. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([found]) => found === name)?.[1]
}

/** A form of ours carries the value of the cookie; another site can neither read nor set that. */
export function isCrossSite(request: FastifyRequest, token: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  const a = Buffer.from(cookieOf(request, csrfCookie) ?? '')
  const b = Buffer.from(token)
  return b.length < 43 || a.length !== b.length || !timingSafeEqual(a, b)
}
