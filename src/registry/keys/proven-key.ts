import { hash, timingSafeEqual } from 'node:crypto'

/** Length of a SHA-256 in base64. */
const proofLength = 44

/**
 * A digest of a verified key, to recognise it again without its MAC. No key
 * stays in memory. Keys come from more than 2^256 possibilities, so a digest
 * reveals nothing.
 */
export function proofOf(text: string): Buffer {
  return Buffer.from(digest(text), 'latin1')
}

const presented = Buffer.alloc(proofLength)

/** Whether the key matches the proof. Compares in constant time. */
export function isProven(text: string, proof: Buffer): boolean {
  presented.write(digest(text), 'latin1')
  return timingSafeEqual(presented, proof)
}

// As text: a buffer would cost twice the digest's time.
function digest(text: string): string {
  return hash('sha256', text, 'base64')
}
