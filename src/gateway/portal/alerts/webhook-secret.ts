import { seal, unseal } from '../sealed.ts'

/** Encrypts the secret of an application's webhook. @param key `webhooks` of the portal's secrets */
export function sealSecret(key: Buffer, applicationId: string, secret: string): Buffer {
  return seal(key, purposeOf(applicationId), secret)
}

/** Undefined when it was sealed under another key or for another application. */
export function unsealSecret(
  key: Buffer,
  applicationId: string,
  sealed: Buffer,
): string | undefined {
  return unseal(key, purposeOf(applicationId), sealed)
}

function purposeOf(applicationId: string): string {
  return `tollgate portal webhook ${applicationId}`
}
