import { createHash, timingSafeEqual } from 'node:crypto'
import type { Fields } from '../catalogue/contract.ts'
import { BankError } from './bank-error.ts'

const algorithms: ReadonlyMap<string, string> = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-512', 'sha512'],
])

/**
 * Checks a `Digest` (RFC 3230) against the bytes of the body as received; a
 * request without one, or with another algorithm, passes.
 *
 * @throws {BankError} 401 SIGNATURE_INVALID when it does not match (docs/bank.md, Requests)
 */
export function checkDigest(headers: Fields, rawBody: Buffer): void {
  const sent = headers['digest']
  if (typeof sent !== 'string') return
  const [name = '', ...rest] = sent.split('=')
  const algorithm = algorithms.get(name)
  const given = Buffer.from(rest.join('='), 'base64')
  // The published document rejects other algorithms.
  if (algorithm === undefined) return
  const actual = createHash(algorithm).update(rawBody).digest()
  if (given.length !== actual.length || !timingSafeEqual(given, actual)) {
    throw new BankError('SIGNATURE_INVALID', [
      { path: 'Digest', text: 'Is not the digest of the body' },
    ])
  }
}
