import type { FastifyRequest } from 'fastify'
import type { PasswordAttempt } from '../../registry/credentials.ts'
import { passwordAttemptsMax } from '../../registry/credentials.ts'
import { PortalError } from '../portal-error.ts'
import type { PortalServices } from '../services.ts'

export type CheckPasswordServices = Pick<
  PortalServices,
  'stores' | 'passwords' | 'attempts' | 'mails'
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
 * for a wrong password.
 *
 * @throws {PortalError} ATTEMPTS_EXCEEDED, OVERLOADED, CREDENTIALS_INVALID (one
 *   answer for an unknown address, no password yet, a wrong one, and too many
 *   failures)
 */
export async function checkPassword(
  { stores, passwords, attempts, mails }: CheckPasswordServices,
  request: FastifyRequest,
  { email, developerId, password }: GivenPassword,
): Promise<PasswordAttempt> {
  const attempt = await attempts.signIn(request.raw, email)
  const owner = developerId === undefined ? { email } : { developerId }
  const { found, isRight } = await passwords
    .compare(password, () => stores.credentials.attempt(owner))
    .catch(async (error: unknown) => {
      await attempt.abandoned()
      throw error
    })
  if (found !== undefined && isRight) {
    await attempt.succeeded()
    return found
  }
  if (found?.failures === passwordAttemptsMax) {
    await stores.credentials.pause({
      developerId: found.developerId,
      post: (trx) => mails.outbox.post(trx, { kind: 'sign-in-paused' }, found.email),
    })
  }
  throw credentialsInvalid()
}

/** The one answer to every failed check, so that it does not reveal which part was wrong. */
export function credentialsInvalid(): PortalError {
  return new PortalError({
    code: 'CREDENTIALS_INVALID',
    detail: 'Check both. After too many failed attempts you need to choose a new password.',
  })
}
