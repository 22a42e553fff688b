import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Letter } from './letters.ts'

/** A mail as it waits: everything but who sends it. */
export interface WaitingMail {
  readonly kind: Letter['kind']
  /** Null: a decoy. */
  readonly to: string | null
  /** With its angle brackets. */
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Address of RFC 8058's one-click request; null where the mail cannot be opted out of. */
  readonly optOutUrl: string | null
}

const version = 1
const nonceBytes = 12
const tagBytes = 16
/** Authenticated too: a text sealed for another purpose is no mail. */
const purpose = Buffer.from('tollgate portal mail')

/**
 * Encrypts with AES-256-GCM: version byte, nonce (12 bytes), tag (16),
 * ciphertext.
 *
 * @param key 32 bytes
 */
export function sealMail(key: Buffer, mail: WaitingMail): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(purpose)
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(mail)), cipher.final()])
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), encrypted])
}

/** Undefined when it was sealed under another key, or is damaged. */
export function unsealMail(key: Buffer, sealed: Buffer): WaitingMail | undefined {
  if (sealed.length < 1 + nonceBytes + tagBytes || sealed[0] !== version) return undefined
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, options).setAAD(purpose)
  decipher.setAuthTag(tag)
  const start = decipher.update(sealed.subarray(1 + nonceBytes + tagBytes))
  try {
    const plain = Buffer.concat([start, decipher.final()])
    // What carries our tag was written by `sealMail`.
    return JSON.parse(plain.toString('utf8')) as WaitingMail
  } catch {
    return undefined
  }
}
