import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Authorisation } from '../stores/authorisations.ts'

/** A secret of 256 bits for a cookie or a form. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash of a session for the database. A reader of the database cannot sign in with it. */
export function hashOf(session: string): Buffer {
  return createHash('sha256').update(session).digest()
}

/** Whether the browser of a session is signed in to decide the authorisation. */
export function isSignedIn(
  { sessionSha256 }: Pick<Authorisation, 'sessionSha256'>,
  session: string | undefined,
): boolean {
  if (sessionSha256 === null || session === undefined) return false
  return timingSafeEqual(sessionSha256, hashOf(session))
}
