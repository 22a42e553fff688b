import { decrypt, encrypt } from './aes-gcm.ts'
import type { Keyring } from './keyring.ts'

const version = 1

/**
 * Encrypts with AES-256-GCM: version byte, nonce (12 bytes), tag (16),
 * ciphertext.
 *
 * @param purpose authenticated too: what was sealed for one purpose opens for no other
 */
export function seal({ newest: key }: Keyring, purpose: string, plain: string): Buffer {
  return Buffer.concat([Buffer.of(version), encrypt(key, Buffer.from(plain), Buffer.from(purpose))])
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
  if (sealed[0] !== version) return undefined
  return decrypt(key, sealed.subarray(1), Buffer.from(purpose))?.toString('utf8')
}
