import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

const version = 1
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM: version byte, nonce (12 bytes), tag (16),
 * ciphertext.
 *
 * @param purpose authenticated too: what was sealed for one purpose opens for no other
 */
export function seal({ newest: key }: Keyring, purpose: string, plain: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(purpose))
  const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), encrypted])
}

/** Undefined when it was sealed under another key or for another purpose, or is damaged. */
export function unseal({ all }: Keyring, purpose: string, sealed: Buffer): string | undefined {
  for (const key of all) {
    const plain = openWith(key, purpose, sealed)
    if (plain !== undefined) return plain
  }
  return undefined
}

/** Seals under the newest key what an older key sealed; undefined when there is nothing to do. */
export function reSealed(keyring: Keyring, purpose: string, sealed: Buffer): Buffer | undefined {
  if (openWith(keyring.newest, purpose, sealed) !== undefined) return undefined
  const plain = unseal(keyring, purpose, sealed)
  return plain === undefined ? undefined : seal(keyring, purpose, plain)
}

function openWith(key: Buffer, purpose: string, sealed: Buffer): string | undefined {
  if (sealed.length < 1 + nonceBytes + tagBytes || sealed[0] !== version) return undefined
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, options)
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag)
  const start = decipher.update(sealed.subarray(1 + nonceBytes + tagBytes))
  try {
    return Buffer.concat([start, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
