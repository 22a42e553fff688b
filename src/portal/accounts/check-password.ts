import type { FastifyRequest } from 'fastify'
import { PortalError } from '../api/portal-error.ts'
import type { Needs } from '../services.ts'
import { type PasswordAttempt, passwordAttemptsMax } from '../stores/accounts/credentials.ts'
import { knownDevice } from './known-device.ts'

export type CheckPasswordServices = Needs<
  'passwords' | 'attempts' | 'mails' | 'events' | 'circumstances' | 'secrets' | 'portalUrl' | 'now',
  'credentials'
>

/** A password to check, and the account it should belong to. */
export interface GivenPassword {
  readonly email: string
  /** Where it is known already. */
  readonly developerId?: string
  readonly password: string
}

/**
 * Checks a password, for every route that asks for one. Limits attempts per
 * network, address and developer, and takes as long for an unknown address as
 * for a wrong password. A known browser and a live session have limits of their
 * own: what strangers try must not lock out the owner.
 *
 * @throws {PortalError} ATTEMPTS_EXCEEDED, OVERLOADED, CREDENTIALS_INVALID (one
 *   answer for an unknown address, no password yet, a wrong one, and too many
 *   failures)
 */
export async function checkPassword(
  services: CheckPasswordServices,
  request: FastifyRequest,
  { email, developerId, password }: GivenPassword,
): Promise<PasswordAttempt> {
  const { stores, passwords, attempts, mails, events, circumstances } = services
  // Of the same developer: an enrolment link names one, and its holder may be a stranger.
  const isSession = developerId !== undefined && liveDeveloper(request) === developerId
  const device = isSession
    ? `session ${request.session.sessionId}`
    : knownDevice(services, request, email)
  const attempt = await attempts.countSignIn({ request: request.raw, email, device })
  const owner = developerId === undefined ? { email } : { developerId }
  const isStranger = device === undefined
  const { found, isRight } = await passwords
    .compare(password, () => stores.credentials.attempt({ owner, isStranger }), attempt.turn)
    .catch(async (error: unknown) => {
      await attempt.abandoned()
      throw error
    })
  if (found !== undefined && isRight) {
    await attempt.succeeded()
    return found
  }
  if (isStranger && found?.failures === passwordAttemptsMax) {
    await stores.credentials.pause({
      developerId: found.developerId,
      email: found.email,
      outbox: mails.outbox,
    })
    events.record({
      ...circumstances(request),
      event: 'sign-in.locked',
      subject: `developer:${found.developerId}`,
    })
  }
  throw credentialsInvalid(
    developerId === undefined ? found?.developerId : undefined,
    developerId === undefined ? 'sign-in.refused' : 'password.refused',
  )
}

/** The developer whose live session the request carries. */
function liveDeveloper({ session }: FastifyRequest): string | undefined {
  return session.signIn?.developer.id
}

/**
 * The one answer to every failed check, so that it does not reveal which part
 * was wrong. Only the security event says whose account it was.
 */
export function credentialsInvalid(
  accountOf?: string,
  event: 'sign-in.refused' | 'password.refused' = 'sign-in.refused',
): PortalError {
  const subject = accountOf === undefined ? undefined : `developer:${accountOf}`
  return new PortalError(
    {
      code: 'CREDENTIALS_INVALID',
      detail:
        'Check both. After too many failed attempts, use a browser in which you signed in before, or choose a new password.',
    },
    {
      fact:
        event === 'sign-in.refused'
          ? { event, reason: 'credentials', subject }
          : { event, subject },
    },
  )
}
