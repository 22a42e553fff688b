import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM: nonce (12 bytes), tag (16), ciphertext.
 *
 * @param key 32 bytes
 * @param aad further data that decryption must repeat. (Default: none)
 */
export function encrypt(key: Buffer, plain: Buffer, aad?: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  if (aad !== undefined) cipher.setAAD(aad)
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts what {@link encrypt} returned; undefined if the key or `aad` is another one, or the data is damaged. */
export function decrypt(key: Buffer, sealed: Buffer, aad?: Buffer): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const nonce = sealed.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  if (aad !== undefined) decipher.setAAD(aad)
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  const start = decipher.update(sealed.subarray(nonceBytes + tagBytes))
  try {
    return Buffer.concat([start, decipher.final()])
  } catch {
    return undefined
  }
}
