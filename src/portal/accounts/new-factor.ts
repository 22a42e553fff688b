import type { Needs, PortalServices } from '../services.ts'
import type { ChallengePurpose, FactorChallenge } from '../stores/accounts/factor-challenges.ts'
import type { NewFactor } from '../stores/accounts/factors.ts'
import { challengeExpired, factorInvalid } from './check-factor.ts'

/** How the developer shows that a new factor works. */
export interface NewFactorAnswer {
  readonly token: string
  readonly code?: string | undefined
  readonly passkey?: Readonly<Record<string, unknown>> | undefined
  /** Name of a passkey. (Default: Passkey) */
  readonly name?: string | undefined
}

/**
 * Checks that a new authenticator app or passkey works, before anything is
 * stored.
 *
 * @throws {PortalError} CHALLENGE_EXPIRED, SECOND_FACTOR_INVALID
 */
export async function checkNewFactor(
  services: Needs<'totp' | 'passkeys', 'factorChallenges'>,
  purpose: Extract<ChallengePurpose, 'totp' | 'passkey' | 'enrolment'>,
  developerId: string,
  answer: NewFactorAnswer,
): Promise<NewFactor> {
  const { factorChallenges } = services.stores
  const challenge = await factorChallenges.attempt(purpose, answer.token)
  if (challenge?.developerId !== developerId) throw challengeExpired()
  const factor =
    answer.passkey === undefined
      ? newTotp(services, challenge, answer)
      : await newPasskey(services, challenge, answer)
  if (factor === undefined) throw factorInvalid(developerId)
  if (!(await factorChallenges.pass(answer.token))) throw challengeExpired()
  return factor
}

function newTotp(
  { totp }: Pick<PortalServices, 'totp'>,
  { developerId, sealedSecret: sealed }: FactorChallenge,
  { code = '' }: NewFactorAnswer,
): NewFactor | undefined {
  if (sealed === null) return undefined
  const step = totp.stepOf(developerId, sealed, code.replaceAll(/\s/g, ''))
  return step === undefined ? undefined : { kind: 'totp', sealed, step }
}

async function newPasskey(
  { passkeys }: Pick<PortalServices, 'passkeys'>,
  { nonce }: FactorChallenge,
  { passkey, name = 'Passkey' }: NewFactorAnswer,
): Promise<NewFactor | undefined> {
  const verified = await passkeys.verifyNew(passkey, nonce)
  return verified && { kind: 'passkey', ...verified, name }
}
