import { reSealTotp, unsealTotp } from '../accounts/totp.ts'
import { reSealSecret, unsealSecret } from '../alerts/webhook-secret.ts'
import type { SealedSecret } from '../stores/accounts/sealed-secrets.ts'
import type { Keyring } from './keyring.ts'
import type { PortalSecrets } from './portal-secrets.ts'

/** The keys of the secrets that outlive a SESSION_SECRET. */
export type SealingSecrets = Pick<PortalSecrets, 'totp' | 'webhooks'>

interface SealedKind {
  keyOf(secrets: SealingSecrets): Keyring
  unseal(key: Keyring, ownerId: string, sealed: Buffer): string | undefined
  reSeal(key: Keyring, ownerId: string, sealed: Buffer): Buffer | undefined
}

const kinds: { readonly [Kind in SealedSecret['kind']]: SealedKind } = {
  totp: { keyOf: ({ totp }) => totp, unseal: unsealTotp, reSeal: reSealTotp },
  webhook: { keyOf: ({ webhooks }) => webhooks, unseal: unsealSecret, reSeal: reSealSecret },
}

/** Whether one of the secrets opens a sealed secret. */
export function opens(secrets: SealingSecrets, { kind, ownerId, sealed }: SealedSecret): boolean {
  const { keyOf, unseal } = kinds[kind]
  return unseal(keyOf(secrets), ownerId, sealed) !== undefined
}

/** Encrypts a secret with the newest key; undefined if the newest key encrypted it, or no key opens it. */
export function reSealedByKind(
  secrets: SealingSecrets,
  { kind, ownerId, sealed }: SealedSecret,
): Buffer | undefined {
  const { keyOf, reSeal } = kinds[kind]
  return reSeal(keyOf(secrets), ownerId, sealed)
}
