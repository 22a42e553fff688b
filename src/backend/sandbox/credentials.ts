import { timingSafeEqual } from 'node:crypto'
import type { Credentials } from '../bank.ts'

const password = '12345'
const oneTimePassword = '123456'

/** The secrets of every person of the sandbox (docs/sandbox.md); published, so nothing here is worth stealing. */
export const sandboxCredentials: Credentials = {
  isPassword: (_psuId, text) => isSame(text, password),
  isOneTimePassword: (_psuId, text) => isSame(text, oneTimePassword),
  hints: {
    password: `This is a sandbox: everybody's password is ${password}.`,
    oneTimePassword: `This is a sandbox: every one-time password is ${oneTimePassword}.`,
  },
}

/** Compares in constant time, as a bank with real secrets would have to. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
