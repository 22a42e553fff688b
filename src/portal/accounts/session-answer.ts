import { developerAnswer, withInstants } from '../api/answers.ts'
import { PortalError } from '../api/portal-error.ts'
import type { Session } from '../api/schemas/accounts.ts'
import type { Needs } from '../services.ts'
import type { LiveSession } from '../stores/accounts/sessions.ts'
import { needsFactor } from './require-session.ts'

/** A session as its developer sees it. @throws {PortalError} SESSION_REQUIRED when it has just ended */
export async function sessionAnswer(
  services: Needs<'isFactorRequired', 'profiles'>,
  session: LiveSession | undefined,
): Promise<Session> {
  const { profiles } = services.stores
  const profile = session === undefined ? undefined : await profiles.find(session.developer.id)
  if (session === undefined || profile === undefined) throw sessionEnded()
  const { createdAt, expiresAt } = session
  return {
    developer: developerAnswer(profile),
    ...withInstants({ createdAt, expiresAt }),
    needsFactor: needsFactor(services, session),
  }
}

/** The session existed when the request arrived. */
export function sessionEnded(): PortalError {
  return new PortalError({ code: 'SESSION_REQUIRED', detail: 'Your session has just ended.' })
}
