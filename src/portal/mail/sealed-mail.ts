import type { Keyring } from '../sealing/keyring.ts'
import { seal, unseal } from '../sealing/sealed.ts'
import type { Letter, RenderedLetter } from './letters.ts'

/** A mail as it waits: everything but its sender's address. */
export interface WaitingMail extends RenderedLetter {
  readonly kind: Letter['kind']
  /** Null: a decoy. */
  readonly to: string | null
  /** With its angle brackets. */
  readonly messageId: string
}

const purpose = 'tollgate portal mail'

/** Encrypts a mail. */
export function sealMail(key: Keyring, mail: WaitingMail): Buffer {
  return seal(key, purpose, JSON.stringify(mail))
}

/** Undefined when it was sealed under another key, or is damaged. */
export function unsealMail(key: Keyring, sealed: Buffer): WaitingMail | undefined {
  const plain = unseal(key, purpose, sealed)
  // What carries our tag was written by `sealMail`.
  return plain === undefined ? undefined : (JSON.parse(plain) as WaitingMail)
}
