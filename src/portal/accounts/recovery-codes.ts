import { randomBytes } from 'node:crypto'
import { hashOf } from '../stores/accounts/token.ts'

/** Codes that each work once, in place of a second factor that is lost. */
export interface RecoveryCodes {
  /** Ten, each 24 characters in groups of four: `k7qm-2xvd-9rht-wb4n-0c3e-p8sy`. 120 bits. */
  readonly codes: readonly string[]
  /**
   * SHA-256 of each, as they are kept. Below 112 bits they would need a salt and
   * a slow hash (OWASP ASVS 5.0, 6.5.2).
   */
  readonly hashes: readonly Buffer[]
}

const count = 10
const length = 24
/** Codes of this length were made before; they keep working. */
const lengthBefore = 16
/** 32 characters of which none looks like another (Crockford's base32, lower case). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function createRecoveryCodes(): RecoveryCodes {
  const plain = Array.from({ length: count }, () =>
    Array.from(randomBytes(length), (byte) => alphabet.charAt(byte % alphabet.length)).join(''),
  )
  return {
    codes: plain.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-')),
    hashes: plain.map(hashOf),
  }
}

/**
 * The hash of a code as a person types it: in any case, with spaces or without
 * the hyphens, O for 0, I or L for 1. Undefined for what cannot be one.
 */
export function recoveryCodeHash(typed: string): Buffer | undefined {
  const code = typed
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  const isLong = code.length === length || code.length === lengthBefore
  return isLong && [...code].every((letter) => alphabet.includes(letter)) ? hashOf(code) : undefined
}
