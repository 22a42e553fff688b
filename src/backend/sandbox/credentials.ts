import { timingSafeEqual } from 'node:crypto'
import type { Credentials } from '../bank.ts'

/** The secrets of every sandbox customer. They are public (docs/sandbox.md). */
export const sandboxSecrets = { password: '12345', oneTimePassword: '123456' } as const

/** Checks the secrets of the sandbox. */
export const sandboxCredentials: Credentials = {
  isPassword: (_psuId, text) => isSame(text, sandboxSecrets.password),
  isOneTimePassword: (_psuId, text) => isSame(text, sandboxSecrets.oneTimePassword),
}

/** Compares in constant time, as a bank with real secrets must. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
