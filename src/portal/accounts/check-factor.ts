import { inputInvalid, PortalError } from '../api/portal-error.ts'
import type { FactorAnswer } from '../api/schemas/factors.ts'
import type { Needs } from '../services.ts'
import type { ChallengePurpose, FactorChallenge } from '../stores/accounts/factor-challenges.ts'
import { wrongCodesMax } from '../stores/accounts/factors.ts'
import type { UsedFactor } from '../stores/accounts/sessions.ts'
import { recoveryCodeHash } from './recovery-codes.ts'

export type CheckFactorServices = Needs<
  'attempts' | 'mails' | 'totp' | 'passkeys' | 'now',
  'factorChallenges' | 'factors'
>

/** A challenge that was passed. */
export interface PassedChallenge extends FactorChallenge {
  readonly factor: UsedFactor
}

/** Wrong codes in a row after which the owner gets a mail: another person may know the password. */
const warnAfter = 10

/**
 * Checks the answer to a challenge, for every route that asks for a second
 * factor. Counts a try before it looks at it. A code, a challenge and the
 * signature of a passkey each work once.
 *
 * @param developerId whose challenge it has to be, where that is known
 * @throws {PortalError} INPUT_INVALID (neither a code nor a passkey, or both),
 *   CHALLENGE_EXPIRED, ATTEMPTS_EXCEEDED, SECOND_FACTOR_INVALID
 */
export async function checkFactor(
  services: CheckFactorServices,
  purpose: ChallengePurpose,
  { token, code, passkey }: FactorAnswer,
  developerId?: string,
): Promise<PassedChallenge> {
  if ((code === undefined) === (passkey === undefined)) throw eitherOr()
  const { stores } = services
  const challenge = await stores.factorChallenges.attempt(purpose, token)
  if (challenge === undefined) throw challengeExpired()
  if (developerId !== undefined && challenge.developerId !== developerId) throw challengeExpired()
  const factor =
    code === undefined
      ? await checkPasskey(services, challenge, passkey)
      : await checkCode(services, challenge.developerId, code)
  if (factor === undefined) throw factorInvalid(challenge.developerId)
  if (!(await stores.factorChallenges.pass(token))) throw challengeExpired()
  return { ...challenge, factor }
}

async function checkPasskey(
  { stores, passkeys }: CheckFactorServices,
  { developerId, nonce }: FactorChallenge,
  response: unknown,
): Promise<UsedFactor | undefined> {
  const { passkeys: known } = await stores.factors.find(developerId)
  const used = await passkeys.verify(response, known, nonce)
  return used !== undefined && (await stores.factors.noteUse(used)) ? 'passkey' : undefined
}

/** Six digits are a code of an app, anything else is tried as a recovery code. */
async function checkCode(
  services: CheckFactorServices,
  developerId: string,
  typed: string,
): Promise<UsedFactor | undefined> {
  const { stores, attempts, mails } = services
  const attempt = await attempts.count('code-of-developer', { developerId })
  const failures = await stores.factors.countCode(developerId)
  if (failures === undefined) throw codesLocked(developerId)
  const digits = typed.replaceAll(/\s/g, '')
  const factor = /^\d{6}$/.test(digits)
    ? await checkTotp(services, developerId, digits)
    : await checkRecoveryCode(services, developerId, typed)
  if (factor !== undefined) {
    await Promise.all([attempt.succeeded(), stores.factors.forgiveCodes(developerId)])
  } else if (failures === warnAfter) {
    await stores.factors.warn({ developerId, outbox: mails.outbox })
  }
  return factor
}

async function checkTotp(
  { stores, totp }: CheckFactorServices,
  developerId: string,
  code: string,
): Promise<UsedFactor | undefined> {
  const { totp: kept } = await stores.factors.find(developerId)
  const step = kept === null ? undefined : totp.stepOf(developerId, kept.sealed, code)
  if (step === undefined) return undefined
  return (await stores.factors.spendTotpStep({ developerId, step })) ? 'totp' : undefined
}

async function checkRecoveryCode(
  { stores, mails, now }: CheckFactorServices,
  developerId: string,
  typed: string,
): Promise<UsedFactor | undefined> {
  const hash = recoveryCodeHash(typed)
  if (hash === undefined) return undefined
  const isUsed = await stores.factors.spendRecoveryCode({
    developerId,
    hash,
    at: new Date(now()),
    outbox: mails.outbox,
  })
  return isUsed ? 'recovery-code' : undefined
}

/** One answer for a wrong code, one used before, and a passkey that does not match. */
export function factorInvalid(developerId: string): PortalError {
  const detail = 'Check the code, or enter the next one from your app: each code works once.'
  return refused(developerId, detail)
}

/** Unknown, used, too old, or tried too often. */
export function challengeExpired(): PortalError {
  return new PortalError({
    code: 'CHALLENGE_EXPIRED',
    detail: 'You took too long, or tried five times. Start again.',
  })
}

function codesLocked(developerId: string): PortalError {
  return refused(
    developerId,
    `After ${wrongCodesMax} wrong codes in a row, codes no longer work until you choose a new password. Passkeys still work.`,
  )
}

function refused(developerId: string, detail: string): PortalError {
  const fact = { event: 'factor.refused', subject: `developer:${developerId}` } as const
  return new PortalError({ code: 'SECOND_FACTOR_INVALID', detail }, { fact })
}

function eitherOr(): PortalError {
  return inputInvalid('/code', 'given, or passkey in its place')
}
