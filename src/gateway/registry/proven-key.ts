import { hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 in base64. */
const proofLength = 44

/**
 * What is kept of a key that was found to be the recorded one, to recognise it
 * without its MAC: a digest, so that no memory holds a key. A key is drawn from
 * more than 2^256, so nothing is learnt from its digest.
 */
export function proofOf(text: string): Buffer {
  return Buffer.from(digest(text), 'latin1')
}

const presented = Buffer.alloc(proofLength)

/** Whether the key is the one of the proof; in a time that does not depend on where they differ. */
export function isProven(text: string, proof: Buffer): boolean {
  presented.write(digest(text), 'latin1')
  return timingSafeEqual(presented, proof)
}

// As text: making a buffer of it costs twice the digest.
function digest(text: string): string {
  return hash('sha256', text, 'base64')
}
