import type { Keyring } from '../sealing/keyring.ts'
import { reSealed, seal, unseal } from '../sealing/sealed.ts'

/** Encrypts the secret of an application's webhook. @param key `webhooks` of the portal's secrets */
export function sealSecret(key: Keyring, applicationId: string, secret: string): Buffer {
  return seal(key, purposeOf(applicationId), secret)
}

/** Undefined when it was sealed under another key or for another application. */
export function unsealSecret(
  key: Keyring,
  applicationId: string,
  sealed: Buffer,
): string | undefined {
  return unseal(key, purposeOf(applicationId), sealed)
}

/** The secret under the newest key; undefined when it is already. */
export function reSealSecret(
  key: Keyring,
  applicationId: string,
  sealed: Buffer,
): Buffer | undefined {
  return reSealed(key, purposeOf(applicationId), sealed)
}

function purposeOf(applicationId: string): string {
  return `tollgate portal webhook ${applicationId}`
}
