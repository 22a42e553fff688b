import { createHash, randomBytes } from 'node:crypto'

/** A new token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database knows of a token, a session's id or a recovery code: its SHA-256. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
