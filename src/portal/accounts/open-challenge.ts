import { randomBytes } from 'node:crypto'
import type { FactorChallenge } from '../api/schemas/factors.ts'
import type { Needs } from '../services.ts'
import type { FactorSet } from '../stores/accounts/factors.ts'

export interface ChallengeInput {
  readonly purpose: 'sign-in' | 'step-up'
  readonly developerId: string
  /** Factors of the developer; at least one. */
  readonly factors: FactorSet
  /** For a sign-in: the hash of the password that was right. */
  readonly passwordHash?: string
}

/** Asks for one of a developer's second factors. `check-factor.ts` takes the answer. */
export async function openChallenge(
  { stores, passkeys }: Needs<'passkeys', 'factorChallenges'>,
  { factors, ...input }: ChallengeInput,
): Promise<FactorChallenge> {
  const nonce = newNonce()
  const { token, expiresAt } = await stores.factorChallenges.open({ ...input, nonce })
  const takesPasskeys = factors.passkeys.length > 0 && passkeys.isOffered()
  return {
    token,
    expiresAt: expiresAt.toISOString(),
    methods: [
      ...(takesPasskeys ? (['passkey'] as const) : []),
      ...(factors.totp === null ? [] : (['totp'] as const)),
      ...(factors.recoveryCodesLeft > 0 ? (['recovery-code'] as const) : []),
    ],
    passkey: takesPasskeys ? { ...(await passkeys.requestOptions(factors.passkeys, nonce)) } : null,
  }
}

/** Whether the account has a second factor. */
export function hasFactor({ totp, passkeys }: FactorSet): boolean {
  return totp !== null || passkeys.length > 0
}

/** What a passkey has to sign; base64url, 256 bits. */
export function newNonce(): string {
  return randomBytes(32).toString('base64url')
}
